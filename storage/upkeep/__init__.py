"""Work over time: sweeping, leadership, clocks that jump."""
