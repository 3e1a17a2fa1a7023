"""Users, groups and organisations, as others see and administer them."""
