"""Documents: markup to a model, and the model to pages, PDF, slides and text; pure, without a server."""
