"""The floor's pages, one module per subject."""
