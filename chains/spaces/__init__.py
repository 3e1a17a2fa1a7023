"""Spaces: their tree of files, and the ports that mount them and park holds in them."""
