"""Drawing a reading on its picture."""
