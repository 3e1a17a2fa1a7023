"""The file browser: views of each kind of files, and changes by permission."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from html import unescape
from typing import NamedTuple
from urllib.parse import urlencode

import pytest

from tests.handlers.pages.web_user import Owner
from tests.handlers.pages.wire import Wire

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TEXTS = {
    "README.md": "# Files\n\n[all](data/rows.csv) <script>alert(1)</script>\n",
    "data/rows.csv": "name,number\nOslo,1\n<b>,2\n",
    "main.py": "import sys\nprint('<i>')\n",
    "odd name+.txt": "odd\n",
}


class Tree(NamedTuple):
    """Files with a page: the page of all, what pages of files begin with, and whether they change."""

    front: str
    pages: str
    writes: bool = True
    message: str = ""


def space(owner: Owner) -> Tree:
    """A space."""
    owner.put("spaces/raw")
    for path, text in TEXTS.items():
        owner.write(f"spaces/raw/content/{path.replace(' ', '%20')}", text)
    owner.server.ask("PUT", "code/spaces/raw/content/dot.png", base64.b64decode(DOT), owner.name)
    page = f"/u/{owner.name}/s/raw"
    return Tree(page, page)


def repo(owner: Owner) -> Tree:
    """A repository."""
    owner.push("words", {"Containerfile": "FROM scratch", **TEXTS})
    page = f"/u/{owner.name}/r/words"
    return Tree(page, f"{page}/at/main", message="Say it")


def run(owner: Owner, chain: str) -> str:
    """A run of a job with this chain, by its page."""
    owner.image("first", "WRITE=README.md=hello;main.py=x")
    owner.image("then", "COPY=")
    page = owner.job("letter", chain)
    return f"{page[page.index('/u/') :]}/{owner.trigger('letter')}"


def hold(owner: Owner) -> Tree:
    """The files of a hold."""
    page = run(owner, "first -> !then")
    return Tree(page, f"{page}/hold")


def outputs(owner: Owner) -> Tree:
    """The files that a run left."""
    page = f"{run(owner, 'first -> then')}/outputs"
    return Tree(page, page, writes=False)


@pytest.mark.parametrize("make", [space, repo], ids=lambda one: one.__name__)
def test_each_file_has_a_preview(owner: Owner, wire: Wire, make: Callable[[Owner], Tree]) -> None:
    tree = make(owner)
    front = wire.ask("GET", tree.front).body
    assert f'<a href="{tree.pages}/data/rows.csv"' in front
    assert "<script>alert" not in front
    rows = wire.ask("GET", f"{tree.pages}/data/rows.csv").body
    assert re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", rows)[:6] == [
        "name",
        "number",
        "Oslo",
        "1",
        "&lt;b&gt;",
        "2",
    ]
    code = wire.ask("GET", f"{tree.pages}/main.py").body
    assert (
        '<li id="L2"><code>print(&#39;&lt;i&gt;&#39;)</code></li>' in code and 'data-code="main.py"' in code
    )
    assert "<h1>Files</h1>" in wire.ask("GET", f"{tree.pages}/README.md").body
    assert "odd" in wire.ask("GET", f"{tree.pages}/odd%20name+.txt").body
    assert wire.ask("GET", f"{tree.pages}/absent").status == 404
    if make is space:
        picture = re.search(r'<img src="(/v1/[^"]+dot.png)"', wire.ask("GET", f"{tree.pages}/dot.png").body)
        assert picture is not None


@pytest.mark.parametrize("make", [space, repo, hold, outputs], ids=lambda one: one.__name__)
def test_a_tree_is_changed_where_its_caller_may(
    owner: Owner, wire: Wire, make: Callable[[Owner], Tree]
) -> None:
    tree = make(owner)
    front = wire.ask("GET", tree.front).body
    assert "README.md" in front
    assert ("data-drop" in front, "?edit=yes" in front or "/edit/" in front) == (tree.writes, tree.writes)
    assert 'href="' + tree.pages + '/README.md"' in front
    fields = dict(re.findall(r'<input type="hidden" name="(branch|parent)" value="([^"]*)"', front))
    token = wire.token(tree.front)
    begun = wire.post(tree.pages, token=token, do="new", name="new/one.txt")
    if not tree.writes:
        assert wire.ask("GET", f"{tree.pages}/README.md?edit=yes").status == 403
        assert wire.post(tree.pages, token=token, do="delete", **{"f:README.md": "yes"}).status == 400
        saved = wire.post(f"{tree.pages}/README.md", token=token, **{"text.file": "x", "base.file": ""})
        assert saved.status in (400, 403, 405)
        return
    editor = begun.headers["Location"]
    shown = wire.ask("GET", editor).body
    etag = re.search(r'name="etag.file" value="([^"]*)"', shown)
    assert etag is not None
    text = {"text.file": "one\r\ntwo\r\n", "base.file": "", "etag.file": unescape(etag[1])}
    sent = {**fields, **text, "message": tree.message, "path": "new/one.txt", "to": "branch"}
    assert wire.ask("POST", editor, urlencode({**sent, "token": token}), Origin=wire.origin).status == 303
    assert "two" in wire.ask("GET", f"{tree.pages}/new/one.txt").body
    again = wire.post(tree.pages, token=token, do="new", name="new/one.txt")
    assert again.status == 400 and "exists already" in again.body

    def present() -> dict[str, str]:
        found = re.findall(r'name="(branch|parent)" value="([^"]*)"', wire.ask("GET", tree.front).body)
        return dict(found)

    moved = {"do": "move", "f:one.txt": "yes", "to": "two.txt"}
    assert wire.post(f"{tree.pages}/new", token=token, **present(), **moved).status == 303
    assert wire.ask("GET", f"{tree.pages}/two.txt").status == 200
    gone = {"do": "delete", "f:two.txt": "yes"}
    assert wire.post(tree.pages, token=token, **present(), **gone).status == 303
    assert wire.ask("GET", f"{tree.pages}/two.txt").status == 404
