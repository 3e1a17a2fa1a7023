"""Outgoing mail of the service."""
