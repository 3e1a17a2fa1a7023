"""Say what comes next of a row of numbers."""
