"""Plain forms of documents: text for terminals, and portable Markdown."""
