"""A small invented tree over the memory world: the kernel is tested without anything that Curlew serves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.kit.suites.kernel import StillClock
from tests.kit.world import StoredWorld
from tests.vfs.edge import tags_of
from vfs.access import PUBLIC, VIEWABLE, Access, Caller, Claim, Grant, Kind, Verb, Via
from vfs.body import NoBody, TextBody
from vfs.call import Call, Data, Form, Reply, Stream
from vfs.context import Context
from vfs.errors import Invalid
from vfs.nodes import Derived, Dir, Each, File, Ghost, Items, Link, Named, Subtree
from vfs.param import USER, Param
from vfs.parts import action, choice, flag, line, mine, number, text, value
from vfs.path import Path
from vfs.ports.people import Account
from vfs.rules import ANYONE, INFO, NOBODY, OWNER, SELF, SIGNED_IN, Rule, X
from vfs.serve import serve
from vfs.texts import several_texts
from vfs.tree import Tree

READ_ONLY = frozenset({Verb.READ})
FOLDERS: Mapping[str, object] = {"": ("a", "b.txt"), "a": ("c.txt",), "a/c.txt": "see", "b.txt": "bee"}

PATH: Param[object] = Param("path")
RING: Param[int] = Param("ring")
LISTED = Rule("rung", lambda p: p[RING] > 0, "to be rung")


class SteppingClock(StillClock):
    """A clock that moves one second each time it is read."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 21, tzinfo=UTC)

    def now(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment


def shout(context: Context, word: str) -> Reply | str:
    if word == "quietly":
        return Reply(None)
    return f"{word.upper()}!"


def below(context: Context) -> Iterator[Named]:
    prefix = f"{context.segment(PATH)}/" if context.segment(PATH) else ""
    for name in context[PATH]:
        yield Named(
            name, "t0", "t1", FOLDERS[prefix + name], folder=isinstance(FOLDERS[prefix + name], tuple)
        )


def whisper(context: Context) -> str:
    return f"{context.segment(PATH)} is {context[PATH]}"


def even(sent: str) -> str:
    if len(sent) % 2:
        raise Invalid("odd")
    return sent


def measure(context: Context[Any]) -> Reply | None:
    return Reply("4 letters") if "measure" in context.call.query else None


BOX = Dir(
    {
        "label": line(about="its label"),
        "lid": choice("open", "shut", default="shut"),
        "heavy": flag(True),
        "size": text("1", check=number(1, 9)),
        "note": text(data=lambda _, raw: {"raw": raw}),
        "even": text(check=even, remark=lambda p, sent: f"{len(sent)} letters\n"),
        "length": text("four", view=measure),
        "tight": text(trial=lambda p: Reply(p.call.body.text(99)) if p.call.query else None),
        "kept": File(lambda p: "as it was", lambda p, sent: "kept\n", clear=False),
        "mute": File(lambda p: {"as": "it was"}, lambda p, sent: Reply(None), text=str, clear=False),
        "drawn": File(lambda p: {"as": "it was"}, lambda p, sent: None, clear=False),
        "photo": File(wants="blob", media=("image/png",)),
        "raw": File(None, lambda p, body: body.text(9), wants="raw", silent=True, clear=False),
        "alarm": mine("loud", "soft", default="soft", about="per caller"),
        "weight": value(lambda p: {"kg": 2}, text=lambda w: f"{w['kg']} kg"),
        "stamped": value(lambda p: p.here.shortname, data=lambda p, s: [s]),
        "nothing": value(lambda p: None),
        "flow": value(lambda p: Stream([b"a", b"b"], "text/csv")),
        "made": value(lambda p: Reply("as made", media="text/markdown")),
        "shake": action(shout, needs=X, about="makes a noise"),
        "slow": action(shout, needs=X, long=True),
        "cover": Dir(
            {
                "top": text(),
                "side": text(),
                "both": Derived(lambda p, of: f"{of['top']}+{of['side']}", of=("top", "side")),
                "page": Derived(
                    lambda p, of: f"<{of['top']}>",
                    of=("top",),
                    media="text/html",
                    data=lambda p, t: {"html": t},
                ),
                "inside": Dir(
                    {
                        "all": Derived(
                            lambda p, of: "+".join(of.values()),
                            of=("../top", "../../note", "own"),
                            default="none",
                        ),
                        "own": text(),
                    }
                ),
                "sheet": Derived(lambda p, of: f"<{of['side']}>", of=("side",), media="text/html"),
            }
        ),
        "toys": Each(Param("toy"), Dir({"colour": text()})),
        "tags": Each(Param("tag"), File(fixed=True), rules={Verb.CREATE: OWNER}),
        "env": Each(Param("name"), File(silent=True), upsert=True, rules={Verb.WRITE: OWNER}),
        "pics": Each(Param("pic"), File(wants="blob"), upsert=True),
        "deep": Subtree(
            param=PATH,
            look=lambda p: FOLDERS.get(p.segment(PATH)),
            folder=lambda fact: isinstance(fact, tuple),
            names=below,
            read=whisper,
            write=lambda p, _: "wrote",
            create=lambda p: None,
            rename=lambda p, to: "moved",
            remove=lambda p: None,
        ),
        "still": Subtree(
            param=PATH,
            look=lambda p: FOLDERS.get(p.segment(PATH)),
            folder=lambda fact: isinstance(fact, tuple),
            names=below,
            read=whisper,
        ),
        "ghost": Ghost(about="never there"),
        "hidden": text(listed=NOBODY),
        "vault": Dir({"key": text()}, rules={Verb.READ: OWNER}, hidden=True),
        "safe": Dir({"key": text()}, rules={Verb.READ: OWNER}, hidden=SIGNED_IN),
        "self": Link(to="cover/top"),
        "loop": Link(to="loop"),
        "sworn": File(
            accept=lambda p, word: f"{p.me}: {word}", clear=lambda p: p.world.leaves.clear(p.here.id, "note")
        ),
    },
    about="a box",
)
BOX = replace(BOX, children={**BOX.children, "ring": Link(to="/bell"), "texts": several_texts()})


@dataclass
class Ring:
    """Entries kept by hooks: a counter of what was done."""

    names: dict[str, int]

    def listed(self, context: Context) -> Iterator[Named]:
        for name in self.names:
            yield Named(name, "t0", "t1", self.names[name])

    def has(self, context: Context, name: str) -> int | None:
        return self.names.get(name)

    def create(self, context: Context) -> str:
        self.names[context.name] = self.names.get(context.name, 0) + 1
        return f"rung {self.names[context.name]}"

    def rename(self, context: Context, name: str) -> None:
        self.names[name] = self.names.pop(context.name)

    def remove(self, context: Context) -> str:
        del self.names[context.name]
        return "unrung"

    def emptied(self, context: Context) -> str:
        self.names.clear()
        return "silent"


@dataclass
class Kernel:
    """The tree and its world, asked in one line."""

    tree: Tree
    world: StoredWorld
    rings: Ring
    events: list[str]

    def ask(
        self, who: str | Caller | None, verb: Verb | None, path: str, body: Any = None, **more: Any
    ) -> Reply:
        caller = who if isinstance(who, Caller) else Caller(who, Via.TOKEN) if who else PUBLIC
        sent = TextBody(body) if isinstance(body, str) else body or NoBody()
        return serve(self.tree, Call(verb, Path.parse(path), caller, self.world, sent, tags=tags_of, **more))

    def read(self, who: str | Caller | None, path: str, **more: Any) -> Any:
        reply = self.ask(who, Verb.READ, path, **more)
        return reply.value.value if isinstance(reply.value, Data) else reply.value

    def data(self, who: str, path: str) -> Any:
        return self.read(who, path, want=Form.DATA)

    def names(self, who: str | None, path: str) -> list[str]:
        return [entry.name for entry in self.read(who, path)]

    def share(self, target: str, letters: str, box: str = "toolbox") -> None:
        found = self.world.items.find("box", "ann", box, "ann")
        assert found is not None
        self.world.grants.give(found.item.id, Grant(target, letters, f"{target}~{letters}"))


def root(rings: Ring, events: list[str]) -> Dir:
    def note(word: str) -> Any:
        return lambda context, *_: events.append(f"{word} {context.here.name}")

    def remark(context: Any, item: Any, labels: str | None) -> str:
        events.append(f"renamed {context.here.name}")
        if labels is not None:
            context.also.write(Path.parse("/me/boxes") / labels / "label", f"beside {item.name}")
        return f"{context.here.name} is {item.name} now\n"

    def copied(context: Context, item: Any, taken: str) -> str:
        note("copied")(context)
        return f"{item.name} has {taken}\n"

    boxes = Items(Kind(name="box"), BOX, canonical=True, copies=("label", "cover"),
        rules={Verb.READ: SIGNED_IN}, made=note("made"), renamed=remark, copied=copied, gone=note("gone"),
        mending=lambda context, name: f"beside-{context.here.name}",
        taking=lambda context, name: f"the lid of {context.here.name} for {name}",
    )  # fmt: skip
    bins = Items(Kind(name="bin"), Dir({"label": text()}), copies=(), rules={Verb.RENAME: SIGNED_IN})
    crates = Items(
        Kind(name="crate", confers=VIEWABLE), Dir({"label": text()}, rules={Verb.READ: INFO}), canonical=True
    )
    shelf = Items(Kind(name="box"), Dir({"top": Link(to="cover/top", only=READ_ONLY)}), fixed=True)
    return Dir(
        {
            "me": Link(to="/users/{me}"),
            "peek": Link(to="/users/{me}", only=READ_ONLY),
            "spin": Link(to="/spin"),
            "users": Each(
                USER,
                Dir({"boxes": boxes, "crates": crates, "shelf": shelf, "bins": bins}, about="a corner"),
                names=lambda context: (Named("ann", "t0", "t1", "ann"),),
                has=lambda context, name: name if name in ("ann", "bob", context.caller.name) else None,
                loose=True,
                fixed=True,
            ),
            "bells": Each(
                Param("bell"), Dir({"tone": value(lambda p: "tone")}),
                names=rings.listed, has=rings.has, prepare=lambda p: p.call.body.text(9),
                rename=lambda p, to: Reply(f"moved to {to}", location=f"/rings/{to}"),
                remove=rings.remove, emptied=rings.emptied, rules={Verb.WRITE: SIGNED_IN},
            ),
            "rings": Each(
                RING, Dir({"tone": value(lambda p: str(p[RING]))}, listed=LISTED),
                names=rings.listed, has=rings.has, create=rings.create, rename=rings.rename,
                remove=rings.remove, again=True, rules={Verb.WRITE: SIGNED_IN},
            ),
            "leases": Each(
                Param("lease"), Dir({}), names=rings.listed, has=rings.has, rules={Verb.WRITE: SIGNED_IN}
            ),
            "clubs": Each(
                Param("club"), Dir({"shelf": shelf}), names=lambda p: (), has=lambda p, name: None,
                create=lambda p: None, candid=True, rules={Verb.CREATE: SELF, Verb.WRITE: NOBODY},
            ),
            "profile": Dir(
                {"motto": text(rules={Verb.READ: SIGNED_IN, Verb.WRITE: SIGNED_IN})},
                enter=lambda context: context.world.items.find(
                    "box", context.me, "toolbox", context.caller.name
                ),
            ),
            "door": File(lambda p: "open", None, fixed=True, rules={Verb.READ: ANYONE}),
            "bell": action(lambda p, word: None, needs=SIGNED_IN),
            "card": Dir({"x": value(lambda p: "x")}, read=lambda p: Data({"face": True})),
        },
        rules={Verb.READ: SIGNED_IN},
    )  # fmt: skip


@pytest.fixture
def kernel() -> Kernel:
    """Ann owns the box `toolbox` with a label; bob and cleo are there too."""
    rings, events = Ring({"one": 1}), []
    world = StoredWorld(clock=SteppingClock())
    for name in ("ann", "bob", "cleo"):
        world.users.add(name, "digest", account=Account.REGULAR, email=None, public=name == "ann")
    kernel = Kernel(Tree(root(rings, events)), world, rings, events)
    kernel.ask("ann", Verb.CREATE, "/me/boxes/toolbox")
    kernel.ask("ann", Verb.WRITE, "/me/boxes/toolbox/label", "tools")
    events.clear()
    return kernel


@pytest.fixture
def robot() -> Caller:
    """A run's credential of ann's, narrowed to reading boxes."""
    return Caller("ann", Via.RUN, Claim("box_ro", {"box": Access.READ | Access.INFO}))


@pytest.fixture
def renamed() -> Any:
    """dataclasses.replace, for tests that vary a value."""
    return replace
