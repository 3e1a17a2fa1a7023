"""What a text holds beside Markdown's own marks: sections, HTML, code that is left alone, and footnotes."""
