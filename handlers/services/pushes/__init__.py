"""Admission of pushes, and commits that the server makes for users as if they had been pushed."""
