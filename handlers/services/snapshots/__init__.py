"""Snapshots: what a document or grid shows at one moment, kept unchanged."""
