"""Processes of the web server: a worker of gunicorn's, and how one program follows another."""
