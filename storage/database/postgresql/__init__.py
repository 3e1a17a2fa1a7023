"""PostgreSQL: the pool for one server, prepared statements, and detection of a frozen server."""
