"""The geometry of one table: lens, pose, planes, zones."""
