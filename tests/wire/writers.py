"""Texts by people who may write them: what alice's document, mail and grid show of somebody's items."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache

from handlers.rendering.forms import render_order
from handlers.rendering.port import Rendering, RenderOrder
from tests.kit.client import Answer
from tests.kit.service import Application

MARKER = "42424242"
PNG = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\x9cc\xf8\xcf\xc0"
    b"\xf0\x1f\0\5\0\1\xff\x89\x99=\x1d\0\0\0\0IEND\xaeB`\x82"
)
FORMS = {
    "doc": ("html", "pdf", "pptx", "md"),
    "mail": ("html", "txt", "ansi", "pdf", "png", "pptx"),
    "grid": ("html", "png", "svg", "pdf", "txt", "ansi"),
}
READABLE = {"html", "md", "txt", "ansi", "svg"}
"""Forms in which a number of a plot can be read as it was written."""
TEXTS = {"doc": "content", "mail": "content", "grid": "mapping"}
LETTERS = {"doc": "d", "mail": "m", "grid": "g"}


@cache
def _drawn(json_order: str) -> Rendering:
    return render_order(RenderOrder(**json.loads(json_order)))


class Drawing:
    """The renderer that is shipped, in this process; equal orders are drawn once."""

    def render(self, order: RenderOrder) -> Rendering:
        """Make what is ordered."""
        return _drawn(order.json)


class Writers:
    """alice's document, mail and grid `r`, which bob may write and dora read, and items of a holder."""

    def __init__(self, service: Application, holder: str) -> None:
        self.service, self.holder, self.shortname = service, holder, ""
        for name in ("alice", "bob", "carol", "dora"):
            service.user(name, "public", "verified")
        for kind in FORMS:
            self.want("alice", "PUT", f"/v1/vis/{kind}s/r")
            for user, letters in (("bob", "rw"), ("dora", "r")):
                service.arrange("share", [kind, "alice/r", f"@{user}", letters], [])
        self.want("alice", "POST", "/v1/vis/grids/r/layout", "+-----+-----+\n| {A} | {B} |\n+-----+-----+")

    def ask(self, user: str, method: str, path: str, body: str = "", media: str = "text/plain") -> Answer:
        return self.send(user, method, path, body.encode(), media)

    def send(self, user: str, method: str, path: str, body: bytes, media: str) -> Answer:
        headers = [("Authorization", f"Bearer {self.service.user(user)}"), ("Content-Type", media)]
        return self.service.call(method, path, headers, body)

    def want(self, user: str, method: str, path: str, body: str = "") -> Answer:
        answer = self.ask(user, method, path, body)
        assert answer.status < 300, (method, path, answer)
        return answer

    def make_secret(self) -> None:
        """The holder's plot, grid of it and picture, all with the marker in them."""
        plot = "/v1/vis/plots/secret"
        self.want(self.holder, "PUT", plot)
        self.want(self.holder, "POST", f"{plot}/data", f"who,pay\nm{MARKER},{MARKER}\n")
        self.want(self.holder, "POST", f"{plot}/name", f"The plan of {MARKER}")
        self.want(self.holder, "PUT", f"{plot}/vars/pay")
        self.want(self.holder, "POST", f"{plot}/vars/pay/value", MARKER)
        self.want(self.holder, "POST", f"{plot}/vars/pay/type", "text")
        self.want(self.holder, "PUT", "/v1/vis/docs/secret")
        sent = self.send(self.holder, "PUT", "/v1/vis/docs/secret/assets/mark.png", PNG, "image/png")
        assert sent.status < 300, sent
        self.want(self.holder, "PUT", "/v1/vis/grids/secret")
        self.want(self.holder, "POST", "/v1/vis/grids/secret/layout", "+-----+\n| {A} |\n+-----+")
        self.want(self.holder, "POST", "/v1/vis/grids/secret/mapping", "A => /p/secret")
        self.shortname = self.want(self.holder, "GET", f"{plot}/shortname").body.decode().strip()

    def write(self, writer: str) -> None:
        """The writer writes all three texts, with references of every way of spelling."""
        at, short = f"/u/{self.holder}", self.shortname
        content = (
            f"# Pay\n\n{{{{ vis ref: {at}/p/secret }}}}\n\n{{{{ vis ref: {at}/g/secret }}}}\n\n"
            f"{{{{ vis ref: {short} }}}}\n\n"
            f"{{{{ img ref: {at}/d/secret/a/mark.png }}}}\n\nThey earn {{{at}/p/secret/v/pay}}.\n"
        )
        mapping = f"A => {at}/p/secret\nB => {short}"
        for kind, rel in TEXTS.items():
            text = mapping if kind == "grid" else content
            self.want(writer, "POST", f"/v1/users/alice/vis/{kind}s/r/{rel}", text)

    def share(self, targets: frozenset[str]) -> None:
        """The holder's items are shared with these targets, and nobody else."""
        grants = self.service.world.grants
        for kind in ("plot", "grid", "doc"):
            item = self.service.item(kind, f"{self.holder}/secret").id
            for grant in grants.on(item):
                grants.take(item, grant.target)
            for target in targets:
                self.service.arrange("share", [kind, f"{self.holder}/secret", target, "r"], [])

    def remove_secret(self) -> None:
        for kind in ("plot", "grid", "doc"):
            self.want(self.holder, "DELETE", f"/v1/vis/{kind}s/secret")

    def shown(
        self, reader: str, forms: Mapping[str, tuple[str, ...]] = FORMS
    ) -> dict[str, tuple[str, bytes]]:
        """The tag and the bytes of every form, of every log and envelope, as a reader is given them."""
        found = {}
        for kind, some in forms.items():
            home = f"/v1/users/alice/vis/{kind}s/r"
            files = [f"{home}/files/{kind}.{form}" for form in some]
            more = [f"{home}/json/meta_data.json"] if kind == "grid" else []
            for path in (*files, f"{home}/log", *more):
                answer = self.want(reader, "GET", path)
                found[path] = answer.headers.get("etag", ""), answer.body
            short = f"/v1/u/alice/{LETTERS[kind]}/r"
            envelope = json.loads(self.want(reader, "GET", short).body)
            found[short] = "", json.dumps([envelope["references"], envelope["metadata"]]).encode()
        return found
