"""How fast Houseway is, beside the commit before it: ``make bench``. What it measures and how: docs/speed.md."""
