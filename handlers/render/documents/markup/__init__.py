"""Markup of documents: parses any text to a model of blocks and spans."""
