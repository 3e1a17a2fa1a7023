"""The media type under which a file of code is shown."""

from __future__ import annotations

import pytest

from handlers.rules.media import HEAD, shown_media

PNG = b"\x89PNG\r\n\x1a\n\0"
UNKNOWN = "application/octet-stream"


@pytest.mark.parametrize(
    ("name", "head", "media"),
    [
        ("main.py", b"print(1)\n", "text/plain"),
        ("evil.html", b"<script>1</script>", "text/plain"),
        ("evil.svg", b"<svg onload='1'/>", "text/plain"),
        ("picture.png", b"<script>1</script>", "text/plain"),
        ("app.ts", b"export {}", "text/plain"),
        ("readme.md", "Zilpzälp".encode(), "text/plain"),
        ("birds.csv", b"<script>,1", "text/csv"),
        ("birds.json", b"{}", "application/json"),
        ("birds.csv", b"\0", UNKNOWN),
        ("empty", b"", "text/plain"),
        ("cut", b"a" * (HEAD - 1) + "ä".encode()[:1], "text/plain"),
        ("picture.png", PNG, "image/png"),
        ("paper.pdf", b"%PDF-1.7\n\xe2\xe3", "application/pdf"),
        ("font.woff2", b"wOF2\0", "font/woff2"),
        ("all.zip", b"PK\3\4\0", "application/zip"),
        ("evil.html", b"<script>1</script>\0", UNKNOWN),
        ("evil.html", b"\xff\xfe" + "<script>".encode("utf-16-le"), UNKNOWN),
        ("evil.svg", b"<svg>\xff", UNKNOWN),
        ("evil.svgz", b"\x1f\x8b\0", UNKNOWN),
        ("evil.xhtml", b"\0", UNKNOWN),
        ("evil.swf", b"CWS\0", UNKNOWN),
        ("evil.mht", b"\0", UNKNOWN),
        ("evil", b"\0", UNKNOWN),
        ("latin", "ä".encode("latin-1") + b" and more", UNKNOWN),
    ],
)
def test_no_file_of_code_has_a_type_that_acts(name: str, head: bytes, media: str) -> None:
    assert shown_media(name, head) == media
