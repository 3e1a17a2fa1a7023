"""The server: one event loop per worker reads whole requests; the loop or a thread answers each of them."""
