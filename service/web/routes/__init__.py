"""The pages of the supervisor's web page."""
