"""Settings: what each is, its default and its line of the manual, and where they are said."""
