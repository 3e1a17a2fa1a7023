"""The frame that turns a text of markdown into a whole HTML page."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files

from handlers.render.markdown import anchored

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Curlew</title>
<style>{style}</style>
</head>
<body{wide}>
<header><nav aria-label="Documentation"><a class="brand" href="/">Curlew</a>{links}</nav></header>
<main>
{content}</main>
<footer>{foot}</footer>
</body>
</html>
"""


def page(
    title: str, markdown: str, *, links: Mapping[str, str], here: str, foot: str, wide: bool = False
) -> str:
    """A page: `links` are the entries of its navigation by address, `here` its own; `foot` is plain text."""
    shown = "".join(
        f'<a href="{escape(to)}"{" aria-current=page" if to == here else ""}>{escape(name)}</a>'
        for to, name in links.items()
    )
    return _PAGE.format(
        title=escape(title),
        style=style(),
        wide=' class="wide"' if wide else "",
        links=shown,
        content=anchored(markdown),
        foot=escape(foot),
    )


def policy() -> str:
    """The Content-Security-Policy of every page: its own style and pictures of this service, nothing else."""
    digest = base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


@cache
def style() -> str:
    """The style sheet."""
    return files("handlers.reference").joinpath("page.css").read_text()
