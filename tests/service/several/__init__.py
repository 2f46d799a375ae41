"""Tests of several tables on one computer."""
