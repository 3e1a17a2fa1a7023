"""Pure rules of the domain, such as ranks, expiry, targets and names; they use no world and no clock."""
