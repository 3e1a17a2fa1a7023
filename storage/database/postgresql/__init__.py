"""PostgreSQL: the pool for one server, planned statements, and the watch over a frozen one."""
