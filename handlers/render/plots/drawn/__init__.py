"""The drawn part of the data: columns, rows and settings of a type, and sentences about the others."""
