"""Shapes: the route class for each kind of node."""
