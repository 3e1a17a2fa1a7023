"""Syntax besides Markdown: sections, HTML, addresses and front matter."""
