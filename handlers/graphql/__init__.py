"""The GraphQL endpoint: a second, read-only view of the tree for the published clients."""
