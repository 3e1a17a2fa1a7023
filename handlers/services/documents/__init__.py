"""Documents: everything that they show, found with their owner's rights, and made ready to be rendered."""
