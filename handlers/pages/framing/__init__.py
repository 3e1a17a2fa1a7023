"""The frame of all pages: the navigation, who reads, and how moments and amounts are written for them."""
