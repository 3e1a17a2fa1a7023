"""The drawn part of what was sent: columns, rows and wishes that a type takes, and words about the others."""
