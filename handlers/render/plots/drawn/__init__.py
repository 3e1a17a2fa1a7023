"""What a type draws of the data: columns, rows and settings, and sentences about the others."""
