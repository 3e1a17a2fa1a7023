"""The tables of the kernel: items, their leaves, grants, tags and comments."""
