"""Editors of what is written: documents and mails."""
