"""Backups: rows, blobs, repositories and waiting runs of an installation in one file, and their restore."""
