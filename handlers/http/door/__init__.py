"""The door: one event loop per worker reads requests whole and hands each to the loop or to a thread."""
