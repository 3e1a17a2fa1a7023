"""What the kernel keeps: items, their leaves, grants, tags and comments."""
