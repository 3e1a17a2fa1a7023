"""SQLite: the pool for one file, the connections that only read, and the number of commits."""
