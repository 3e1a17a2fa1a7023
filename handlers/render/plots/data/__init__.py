"""Data of plots: texts read as frames, their series and numbers."""
