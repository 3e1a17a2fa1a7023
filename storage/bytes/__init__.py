"""Bytes on disk: blobs, spaces, sealed secrets."""
