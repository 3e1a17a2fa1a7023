"""The rows of the kernel: items, their leaves, grants, tags and comments."""
