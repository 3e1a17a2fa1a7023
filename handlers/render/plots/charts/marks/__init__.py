"""Marks of charts that are drawn without Vega: shapes with their tips, and rows of names beside an axis."""
