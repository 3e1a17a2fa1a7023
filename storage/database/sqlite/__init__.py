"""SQLite: the pool for one file, the read-only connections, and the version of the file."""
