"""Editors of plots and grids: what was typed as texts of the item, previews of it, and saving it."""
