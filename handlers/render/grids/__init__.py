"""Grids: cells placed in exact proportions, and pictures, pages and texts composed of them."""
