"""Conventions for forms: the result is reported, and a refused form keeps its input."""
