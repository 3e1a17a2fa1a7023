"""The HTTP edge: the one place with methods, headers and status numbers."""
