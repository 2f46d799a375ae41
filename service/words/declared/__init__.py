"""Declarations of all doubts and other findings: sentences, subject, metric label and queue group."""
