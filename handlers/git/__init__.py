"""The edge for git: clone, fetch and push over HTTP."""
