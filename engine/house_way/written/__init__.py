"""House Ways without programming: one TOML file of rules in casino English (``docs/house-way-of-your-own.md``)."""
