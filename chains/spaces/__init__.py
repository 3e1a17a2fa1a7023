"""Spaces: their tree of files, and the ports that mount them and keep the files of holds in them."""
