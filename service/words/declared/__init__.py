"""The declarations of all doubts and other findings: sentences, subject, and how each is counted and grouped."""
