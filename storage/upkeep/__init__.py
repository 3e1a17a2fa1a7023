"""What is done over time: sweeping, leadership, clocks that jump."""
