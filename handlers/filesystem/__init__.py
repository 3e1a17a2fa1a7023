"""The tree of one caller as a PyFilesystem."""
