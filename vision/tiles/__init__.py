"""Reading tile faces with two independent readers and the constraint of the 32-tile set."""
