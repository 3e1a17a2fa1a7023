"""Applications that connect: what they ask for, and the credentials that they are given."""
