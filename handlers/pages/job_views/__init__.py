"""Views of jobs: bars of their runs, and the editor with a chain beside its drawing."""
