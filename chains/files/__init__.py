"""Folders and files of runs on disk: inputs, outputs, durability and ownership."""
