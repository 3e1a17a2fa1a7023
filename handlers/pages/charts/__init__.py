"""Editors of plots and grids: the texts of the item, previews of them, and saving."""
