"""Whether the record, and what stands beside it, is as it was recorded: asked by a person, and all the time."""
