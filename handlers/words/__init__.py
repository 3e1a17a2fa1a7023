"""Words: texts, messages and references that drawing and the rest of the server share."""
