"""Commits that the server makes for somebody, as if they had been pushed."""
