"""Parts of the load and of the faults that a floor is measured under."""
