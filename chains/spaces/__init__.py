"""Spaces: their tree of files, and the ports that mount them and store the files of holds in them."""
