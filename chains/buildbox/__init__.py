"""The box in which images are built: a container for each build, and what may come out of it."""
