"""The rendering service: orders for pictures in, bytes out, made in confined processes."""
