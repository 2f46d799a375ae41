"""Where the camera hangs over the table, in millimetres, and the places on the felt."""
