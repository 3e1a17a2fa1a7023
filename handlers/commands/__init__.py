"""The commands of `curlew`, one module for each family."""
