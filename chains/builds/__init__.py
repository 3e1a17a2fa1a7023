"""Builds of images: the port of their store, their recipes, and the work on one build."""
