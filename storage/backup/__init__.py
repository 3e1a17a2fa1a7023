"""Backups: one file with the rows, blobs, repositories and waiting runs of an installation, and back."""
