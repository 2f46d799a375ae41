"""Clients to copy for integrating a table."""
