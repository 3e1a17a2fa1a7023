"""The server: one event loop per worker reads requests whole and has each answered there or in a thread."""
