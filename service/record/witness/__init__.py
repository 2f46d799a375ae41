"""An independent witness of records, and the client that has witnesses sign a table's checkpoints."""
