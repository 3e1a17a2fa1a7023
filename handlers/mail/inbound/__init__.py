"""Incoming mail: parsed by one parser, within bounds, with a verified sender."""
