"""Names beside the ends of lines and of stacks, and beside points."""
