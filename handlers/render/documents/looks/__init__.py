"""Looks of documents: colours by name and by theme, boxes, and style sheets of users, checked."""
