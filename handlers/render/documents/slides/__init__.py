"""Slides of documents: editable if a page is simple, else pictures of the page."""
