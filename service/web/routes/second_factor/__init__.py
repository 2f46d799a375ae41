"""Second factors on the page: showing one when signing in, and adding and removing one's own."""
