"""Looks of documents: colours by name and theme, boxes, and checked style sheets of users."""
