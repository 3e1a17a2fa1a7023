"""Builds of images: their book, their recipes, the work on one."""
