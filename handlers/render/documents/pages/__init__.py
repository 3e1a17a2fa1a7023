"""Pages: documents as HTML for paper, slides and the web, with themes."""
