"""The storage behind the ports of vfs and chains: rows, blobs, repositories and secrets."""
