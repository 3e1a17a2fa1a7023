"""Builds of images in boxes: one container per build, and the checks of its result."""
