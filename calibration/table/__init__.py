"""The camera's pose over the table, in millimetres, and the places on the felt."""
