"""The manual that the tree writes about itself: pages, OpenAPI, errors."""
