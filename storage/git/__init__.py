"""Bare git repositories: reading, writing, forks and bundles."""
