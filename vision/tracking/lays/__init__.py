"""The hands of one round over time: how each was laid, opened, changed and put away."""
