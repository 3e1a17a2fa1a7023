"""The composition of the metrics process, and the state of the service for operators."""
