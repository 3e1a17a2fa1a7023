"""Folders and files of runs on disk: inputs, outputs, their durability and owners."""
