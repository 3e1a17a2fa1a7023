"""The acts of owners: making, naming, sharing, copying and taking away."""
