"""Hooks of jobs: the door at which other services start runs without an account."""
