"""The look of charts: colours, type and sizes."""
