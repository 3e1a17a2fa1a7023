"""Mails: content to HTML that mail programs keep, to text and to messages; pure, without a server."""
