"""Slides of documents: editable where a page is simple, pictures of the page elsewhere."""
