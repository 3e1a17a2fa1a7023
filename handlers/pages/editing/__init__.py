"""Editors: a form is saved only over the versions that it had shown, and no input is lost."""
