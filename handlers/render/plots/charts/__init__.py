"""Charts: a builder for each family of plot types."""
