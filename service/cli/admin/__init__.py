"""Commands for who answers for accounts and the record."""
