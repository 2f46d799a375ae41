"""Props: objects that are drawn but never read."""
