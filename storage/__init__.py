"""The keepers of what vfs and chains define: rows, blobs, repositories and secrets."""
