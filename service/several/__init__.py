"""Several tables on one computer: a process for each, looked after by one that shows them all."""
