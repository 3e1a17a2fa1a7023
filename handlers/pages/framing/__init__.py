"""The frame of all pages: the navigation, the reader, and times and amounts written for the reader."""
