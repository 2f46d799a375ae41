"""``python -m service`` is ``houseway``."""

from service.cli import app

app()
