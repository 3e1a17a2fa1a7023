"""Users, groups and organisations, as others see and manage them."""
