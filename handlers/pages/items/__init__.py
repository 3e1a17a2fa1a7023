"""The things that pages of items of all kinds have in common: addresses, head and tabs."""
