"""From what is stored to what people look at: markdown, tables, key and value text."""
