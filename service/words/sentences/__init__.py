"""The English sentences of codes, one module per subject; other languages are translated from them."""
