"""The floor's pages."""
