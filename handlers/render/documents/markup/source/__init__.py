"""Texts as they are written beside the marks of Markdown: sections, HTML, addresses and front matter."""
