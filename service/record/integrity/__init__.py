"""Integrity of the record and its pictures and tables, checked continuously and on request."""
