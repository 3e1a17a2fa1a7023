"""Editors: what a form was shown is saved with its versions, and nothing that was typed is ever lost."""
