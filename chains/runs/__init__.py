"""The life of a run: its states, its records, the port that keeps them."""
