"""Bare git repositories and what is read out of them."""
