"""Documents: all that they show, found with the rights of owner and last writer, ready to be rendered."""
