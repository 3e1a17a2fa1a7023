"""The file browser: folders and files of spaces, repositories, holds and runs on pages."""
