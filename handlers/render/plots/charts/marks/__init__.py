"""Marks of charts: shapes with their tips, axes of a box, and rows of names beside an axis."""
