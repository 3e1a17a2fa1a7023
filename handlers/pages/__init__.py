"""Web pages: the API for people with a browser."""
