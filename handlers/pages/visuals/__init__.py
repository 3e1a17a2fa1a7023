"""Pages of visuals: the picture or the text, the data and the downloads of each."""
