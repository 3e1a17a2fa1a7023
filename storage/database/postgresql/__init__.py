"""PostgreSQL: the pool for one server, statements planned and sent ahead, and the watch over a frozen one."""
