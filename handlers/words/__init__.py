"""Words: texts, messages and references that the drawing code and the rest of the server share."""
