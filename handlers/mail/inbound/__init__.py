"""Incoming mail: parsed by one parser, within limits, with a verified sender."""
