"""What face a tile shows, by two independent readers and the 32-tile set."""
