"""Previews: a world in which one item has other texts, and in which nothing is stored."""
