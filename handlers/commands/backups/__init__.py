"""`curlew backup` and `curlew restore`."""
