"""Connections that go on by another protocol than HTTP."""
