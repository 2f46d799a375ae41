"""What pages and programs ask the floor for, made of the entries: it can be dropped and made anew at any time."""
