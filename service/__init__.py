"""What people and programs meet: command line, HTTP and page."""

__version__ = "0.3.0"
