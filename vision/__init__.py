"""From pixels to what lies on the table."""
