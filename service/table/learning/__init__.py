"""Learning at the table: collects labelled crops, compares a candidate with the model in use, records adoptions."""
