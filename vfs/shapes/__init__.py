"""Shapes: for each kind of node, the spot that answers for it."""
