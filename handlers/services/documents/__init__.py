"""Documents: their parts, found with the rights of owner and last writer, ready to be rendered."""
