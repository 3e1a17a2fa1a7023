"""The drive: WebDAV (RFC 4918) over the kernel, below `/dav/`."""
