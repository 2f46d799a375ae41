"""Geometry of one table: lens, pose, planes, zones."""
