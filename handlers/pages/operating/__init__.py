"""The page of those who run the server."""
