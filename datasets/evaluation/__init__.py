"""Evaluation of reading pictures and rounds against ground truth."""
