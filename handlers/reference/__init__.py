"""The manual that is generated from the tree: pages, OpenAPI, errors."""
