"""Pure rules of the domain: ranks, expiry, targets, names; no world, no clock."""
