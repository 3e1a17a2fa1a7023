"""Hooks of jobs: addresses with which other services start runs without an account."""
