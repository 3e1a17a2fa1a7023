"""Outgoing and incoming mail of the service."""
