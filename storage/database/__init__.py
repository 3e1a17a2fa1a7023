"""Connections, transactions and constant SQL on SQLite and PostgreSQL."""
