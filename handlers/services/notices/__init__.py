"""Notices as they are told: what each is about at this moment, and in which words."""
