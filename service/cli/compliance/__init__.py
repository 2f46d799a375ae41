"""Coverage of rulebooks by code and tests, and a House Way as a page to print."""
