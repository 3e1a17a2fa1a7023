"""Charts of parts and what they add up to: waterfalls, treemaps, funnels and pyramids."""
