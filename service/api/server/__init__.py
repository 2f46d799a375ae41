"""What stands before the application: who may connect, how large a request may be and how long it may take."""
