"""Rendering of stored content for people: markdown, tables, key and value text, charts, documents."""
