"""``houseway floor``: all tables of a casino on one server."""
