"""Which rule of a document is implemented and tested, and a House Way as a page to print."""
