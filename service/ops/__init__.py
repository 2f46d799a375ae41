"""Logs, figures, systemd, and which code runs."""
