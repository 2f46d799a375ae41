"""Re-reads recorded rounds with other rules or models, and reports which decisions would be different.

A workshop's tool beside the service, run as ``python -m rereading``. Nothing in the record changes.
"""
