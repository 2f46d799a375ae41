"""What people and programs meet: command line, HTTP and page."""
