"""Texts of a folder: every small file below it that a caller may read, by one walk and one statement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vfs.access import Verb
from vfs.nodes import Derived, Dir, File
from vfs.permission import allowed_verbs
from vfs.ports.world import KernelWorld
from vfs.spot import Visit


def texts(place: Visit[KernelWorld]) -> Mapping[str, str]:
    """The texts of the fixed files below a folder of an item, by their paths from there.

    They are the plain texts that the caller may read, and texts that are derived from these alone, which say
    nothing else. Files that a hook answers, and files of bytes, are left out.
    """
    files = list(_files(place))
    found = {shown.rel: _default(shown) for shown in files}
    found |= {rel: default for shown in files for rel, default in _derived_defaults(shown, found)}
    start = len(place.rel) + 1 if place.rel else 0
    return {rel[start:]: text for rel, text in _stored_texts(place, found).items()}


def written_texts(place: Visit[KernelWorld], under: str) -> Mapping[str, str]:
    """The texts that the caller may read of the fixed files of an item, of all or of those below a folder."""
    files = {shown.rel: shown for shown in _files(place)}
    wanted = [rel for rel in files if not under or f"{rel}/".startswith(f"{under}/")]
    return _stored_texts(place, {rel: _default(files[rel]) for rel in wanted})


def _stored_texts(place: Visit[KernelWorld], defaults: Mapping[str, str]) -> Mapping[str, str]:
    """The texts at these paths of the item of a place, or the defaults; one statement."""
    if not defaults:
        return {}
    stored = place.world.leaves.texts_of([place.here.id], list(defaults)).get(place.here.id, {})
    return {rel: stored.get(rel, default) for rel, default in defaults.items()}


def _files(place: Visit[KernelWorld]) -> Iterator[Visit[KernelWorld]]:
    for name, child in place.spot.children.items():
        node, shown = child.node, place.child(name, child)
        if isinstance(node, Dir) and node.enter is None:
            yield from _files(shown)
        elif isinstance(node, File) and _is_plain(node) and Verb.READ in allowed_verbs(shown):
            yield shown


def _is_plain(node: File) -> bool:
    return node.read is None and node.wants == "text" and not node.mine


def _default(place: Visit[KernelWorld]) -> str:
    node = place.spot.node
    assert isinstance(node, File)
    return node.default(place) if callable(node.default) else node.default


def _derived_defaults(place: Visit[KernelWorld], known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The files that are derived from this one and from others that are known, with their defaults."""
    for making in place.spot.derives:
        node = making.spot.node
        assert isinstance(node, Derived)
        folder = place.rel[: len(place.rel) - len(making.source)]
        if all(folder + path in known for path in making.sources.values()):
            yield folder + making.rel, node.default
