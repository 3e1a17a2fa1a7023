"""Copies of items by others than their owners: what they refer to stays what it was."""
