"""The label format of pictures, written and strictly read."""
