"""Every doubt and every other finding, each declared once: its sentences, what it is about, and what follows."""
