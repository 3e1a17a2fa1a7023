"""Keys of job types that nothing executes any more (decisions 31b)."""

LEGACY = ("extract", "render", "filter", "group")
