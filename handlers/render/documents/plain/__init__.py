"""Plain forms of documents: text for terminals, and Markdown that any reader understands."""
