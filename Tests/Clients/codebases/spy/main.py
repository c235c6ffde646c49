"""A codebase whose package tries to read the server's data while it is installed."""
