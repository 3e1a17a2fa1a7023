"""Commands for people who leave: all that is theirs as files, and the end of an account."""
