"""The Model Context Protocol: agents use the API by six tools at `/mcp`."""
