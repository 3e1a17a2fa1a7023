"""Types in a terminal that have modules of their own: rows of places, parts and sums, and tasks."""
