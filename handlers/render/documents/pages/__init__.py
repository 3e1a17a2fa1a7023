"""Pages: a document as HTML for paper, slides and the web, with its themes."""
