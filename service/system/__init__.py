"""Logs, metrics, limited processes, the host and the versions of the running program."""
