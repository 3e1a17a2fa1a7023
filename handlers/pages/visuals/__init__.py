"""Pages of plots and grids: the picture, its data and its downloads."""
