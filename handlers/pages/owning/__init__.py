"""What people do with what they own: make it, name it, share it, copy it, take it away."""
