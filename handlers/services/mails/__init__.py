"""Mails as people write them: what they are rendered from, and who gets them."""
