"""Users, their tokens, groups, memberships and notices."""
