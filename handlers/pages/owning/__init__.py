"""Actions of owners: creating, naming, sharing, copying and deleting."""
