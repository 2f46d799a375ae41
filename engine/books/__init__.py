"""The five rulebooks, each a folder with one file per section and its House Way."""
