"""Errors of learning at a table."""


class LearningError(ValueError):
    """Nothing can be learnt from this; the message explains why and what to do."""
