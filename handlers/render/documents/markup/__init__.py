"""Markup of documents: text to a model of blocks and spans that never fails."""
