"""Whether a picture is fit to be read."""
