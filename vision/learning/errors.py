"""What learning at a table refuses with."""


class LearningError(ValueError):
    """Nothing can be learnt from this; the message says why and what to do."""
