"""The rendering service: turns orders for pictures into bytes, in confined processes."""
