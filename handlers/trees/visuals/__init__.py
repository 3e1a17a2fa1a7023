"""Visualisations: documents, grids, plots and mails."""
