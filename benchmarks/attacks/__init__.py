"""One module for each kind of attack on the table service, each with ``run(checkout) -> Figures``."""
