"""Simulated tables for the load on a hub."""
