"""Common parts of the pages of items of all kinds: addresses, head and tabs."""
