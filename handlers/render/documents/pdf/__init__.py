"""PDF of documents: tagged, with embedded fonts, the same bytes for the same content."""
