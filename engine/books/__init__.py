"""The five rulebooks, each a folder with one file for each section and its House Way beside it."""
