"""Learning at the table: crops kept with their origin, a candidate that reads beside the model in use, the choice."""
