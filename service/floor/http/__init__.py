"""The floor over HTTP."""
