"""Figures of documents: charts and pictures, and their numbers."""
