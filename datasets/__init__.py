"""Labelled pictures: the label format and the generator of table scenes."""
