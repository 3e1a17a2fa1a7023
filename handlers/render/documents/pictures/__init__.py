"""Pictures of users: which can be drawn without harm."""
