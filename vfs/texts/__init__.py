"""Texts of items, many at once: those of a folder, and several that are read and written together."""
