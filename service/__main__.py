"""``python -m service`` is ``houseway``."""

from service.commands import app

app()
