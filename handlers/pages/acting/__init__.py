"""The conventions of acting on pages: what was done is told, what was refused keeps what was typed."""
