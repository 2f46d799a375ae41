"""The floor's requests, one module per subject."""
