"""Shapes: for each kind of node, the route that answers for it."""
