"""A service world where alice has a document that shows plots, a grid, pictures and variables."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path as Folder

from handlers.rendering.forms import render_order
from handlers.rendering.port import Rendering, RenderOrder
from handlers.services.documents.part_contents import MOST_BYTES
from handlers.words.document_parts import DocumentParts, load_parts
from storage.bytes.renders import RenderStore
from tests.handlers.service_world import ServiceWorld
from tests.kit.fake_renderer import FakeRenderer
from vfs.access import Grant, Verb
from vfs.call import KeptBytes

DOC = "/v1/vis/docs/report"
REPORT = """# Report
{{ vis ref: /p/one }}
{{ vis ref: /u/bob/p/three, width: 50% }}
{{ vis ref: /u/alice/g/board }}
{{ img ref: logo.png }}
{{ img ref: /u/alice/p/one/a/mark.png }}
{{ author username: bob }}
It rose by {/u/alice/d/report/v/total} and {/u/bob/p/three/v/rate}.
"""
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40


class Reader(FakeRenderer):
    """The fake that reads documents as the real one does; its pictures say of what they are."""

    def __init__(self) -> None:
        self.orders: list[RenderOrder] = []

    def render(self, order: RenderOrder) -> Rendering:
        self.orders.append(order)
        if order.form in ("requests", "references"):
            return render_order(order)
        made = super().render(order)
        if order.form == "svg":
            name = order.texts.get("data", "the grid")
            text = "x" * MOST_BYTES if name == "large" else name
            svg = f'<svg width="9" height="9"><title>Of {name} &amp; co</title>{text}</svg>'
            return replace(made, body=svg.encode())
        return made

    def names(self) -> list[str]:
        """Return the orders since the last call: data of plots, forms of documents, else the kind."""
        names = [
            order.form if order.kind == "doc" else order.texts.get("data", order.kind)
            for order in self.orders
        ]
        self.orders.clear()
        return names


def variable(service_world: ServiceWorld, owner: str, path: str, value: str, kind: str, format: str) -> None:
    service_world.call(owner, Verb.CREATE, path)
    for field, text in (("value", value), ("type", kind), ("format", format)):
        service_world.write(owner, f"{path}/{field}", text)


def put_asset(service_world: ServiceWorld, kind: str, name: str, asset: str, body: bytes) -> None:
    found = service_world.world.items.find(kind, "alice", name, "alice")
    assert found is not None
    ref = service_world.world.blobs.add([body], "image/png")
    service_world.world.leaves.put(found.item.id, f"assets/{asset}", ref, "alice")


def share(
    service_world: ServiceWorld, kind: str, owner: str, name: str, target: str, letters: str = "r"
) -> None:
    found = service_world.world.items.find(kind, owner, name, owner)
    assert found is not None
    service_world.world.grants.give(found.item.id, Grant(target, letters, f"{target}~{letters}"))


def take(service_world: ServiceWorld, kind: str, owner: str, name: str, target: str) -> None:
    found = service_world.world.items.find(kind, owner, name, owner)
    assert found is not None
    service_world.world.grants.take(found.item.id, target)


def render(service_world: ServiceWorld, form: str = "pdf", user: str = "alice") -> tuple[str, DocumentParts]:
    """The tag of a document's render, and the parts that it was made of."""
    path = DOC if user == "alice" else "/v1/users/alice/vis/docs/report"
    value = service_world.call(user, Verb.READ, f"{path}/files/doc.{form}").value
    assert isinstance(value, KeptBytes)
    with value.open() as file:
        order = json.load(file)
    return value.tag, load_parts(order["texts"]["parts"])


def refs(parts: DocumentParts) -> list[str]:
    return sorted(key.partition("@")[0] for key in parts.visuals)


def make_report(service_world: ServiceWorld, folder: Folder) -> Reader:
    """The renderer of a service world where alice's report shows plots, a grid, pictures and variables."""
    reader = Reader()
    kept = RenderStore(folder / "renders", 256 << 20)
    service_world.world = replace(
        service_world.world, visuals=replace(service_world.world.visuals, renderer=reader, kept=kept)
    )
    for owner, name in (("alice", "one"), ("bob", "three")):
        service_world.call(owner, Verb.CREATE, f"/v1/vis/plots/{name}")
        service_world.write(owner, f"/v1/vis/plots/{name}/data", name)
    service_world.call("alice", Verb.CREATE, "/v1/vis/grids/board")
    service_world.write("alice", "/v1/vis/grids/board/layout", "+---+\n|{A}|\n+---+\n")
    service_world.write("alice", "/v1/vis/grids/board/mapping", "A => /p/one\n")
    service_world.call("alice", Verb.CREATE, DOC)
    service_world.write("alice", f"{DOC}/content", REPORT)
    variable(service_world, "alice", f"{DOC}/vars/total", "0.113", "relative", "+,.1%")
    variable(service_world, "bob", "/v1/vis/plots/three/vars/rate", "3", "number", "")
    for kind, name, asset in (("doc", "report", "logo.png"), ("plot", "one", "mark.png")):
        put_asset(service_world, kind, name, asset, PNG)
    return reader
