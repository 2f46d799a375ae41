"""Picture health: whether a picture is fit for reading."""
