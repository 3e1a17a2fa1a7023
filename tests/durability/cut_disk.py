"""A disk in memory that knows what was synced, and so which states a power cut may leave."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.durability.recorder import APPENDS, EVERYTHING, Event

PAGE = 4096
Names = dict[str, "File | Folder"]
Write = tuple[int, bytes | None]
"""Bytes at an offset, or (None) a new size."""


@dataclass(eq=False, slots=True)
class File:
    """The content that is on the disk, and the writes that may get there."""

    synced: bytes = b""
    now: bytearray = field(default_factory=bytearray)
    waiting: list[Write] = field(default_factory=list)

    def add(self, write: Write) -> None:
        _apply(self.now, write)
        self.waiting.append(write)

    def sync(self) -> None:
        if self.waiting:
            self.synced, self.waiting = bytes(self.now), []

    def after(self, keep: str, dice: random.Random) -> bytes:
        """The content after a cut, with `all` waiting writes, `none`, `some`, or only their room (`zero`)."""
        if keep == "all" or not self.waiting:
            return bytes(self.now)
        content = bytearray(self.synced)
        for offset, data in self.waiting if keep != "none" else ():
            if keep == "zero" and data is not None:
                data = bytes(len(data))
            if keep == "zero" or (fate := dice.randrange(3)) == 0:
                _apply(content, (offset, data))
            elif fate == 1 and data is not None:  # some pages of it
                for start in range(0, len(data), PAGE):
                    if dice.random() < 0.5:
                        _apply(content, (offset + start, data[start : start + PAGE]))
        return bytes(content)


@dataclass(eq=False, slots=True)
class Folder:
    """The names that are on the disk, and those that are there now."""

    synced: Names = field(default_factory=dict)
    now: Names = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of names, which happens wholly or not."""

    names: tuple[tuple[Folder, str, File | Folder | None], ...]

    @property
    def folders(self) -> set[int]:
        return {id(folder) for folder, _, _ in self.names}


class CutDisk:
    """Does what was recorded, event by event."""

    def __init__(self) -> None:
        self.root = Folder()
        self._waiting: list[Change] = []

    def do(self, event: Event) -> None:
        """One more event. What must have failed changes nothing."""
        if event.kind == "sync" and event.path == EVERYTHING:
            self._sync_all()
            return
        if event.kind == "mark":
            return
        above, name, there = self._find(event.path)
        if above is None and event.path != ".":
            return
        match event.kind, there:
            case "sync", File():
                there.sync()
            case "sync", Folder():
                self._sync_names(there)
            case "write", File():
                there.add((len(there.now) if event.offset == APPENDS else event.offset, event.data))
            case "size", File():
                there.add((event.offset, None))
            case "grow", File():
                if event.offset > len(there.now):
                    there.add((event.offset, None))
            case "make", File():
                if event.offset and there.now:
                    there.add((0, None))
            case "make", None:
                self._change((above, name, File()))
            case "mkdir", None:
                self._change((above, name, Folder()))
            case ("unlink", File()) | ("rmdir", Folder(now={})):
                self._change((above, name, None))
            case (("rename" | "link"), (File() | Folder())):
                self._move(event, above, name, there)

    def _move(self, event: Event, above: Folder, name: str, there: File | Folder) -> None:
        target, new, taken = self._find(event.to)
        if target is None or taken is there or (isinstance(taken, Folder) and taken.now):
            return
        if event.kind == "rename":
            self._change((target, new, there), (above, name, None))
        elif taken is None:
            self._change((target, new, there))

    def _find(self, path: str) -> tuple[Folder | None, str, File | Folder | None]:
        """The folder of a path, its name there, and what has it."""
        if path == ".":
            return None, "", self.root
        *parents, name = path.split("/")
        here: File | Folder | None = self.root
        for parent in parents:
            here = here.now.get(parent) if isinstance(here, Folder) else None
        return (here, name, here.now.get(name)) if isinstance(here, Folder) else (None, name, None)

    def _change(self, *names: tuple[Folder, str, File | Folder | None]) -> None:
        for folder, name, node in names:
            _set(folder.now, name, node)
        self._waiting.append(Change(names))

    def _sync_names(self, folder: Folder) -> None:
        """Keep what changed in a folder, and before it in the folders between which a file was moved."""
        folders, kept, left = {id(folder)}, [], []
        for change in reversed(self._waiting):
            if change.folders & folders:
                folders |= change.folders
                kept.append(change)
            else:
                left.append(change)
        for change in reversed(kept):
            for where, name, node in change.names:
                _set(where.synced, name, node)
        self._waiting = left[::-1]

    def _sync_all(self) -> None:
        for change in self._waiting:
            for folder, name, node in change.names:
                _set(folder.synced, name, node)
        self._waiting = []
        for node in _below(self.root):
            if isinstance(node, File):
                node.sync()

    def after(self, names: str, data: str, dice: random.Random) -> dict[str, bytes | None]:
        """All files with their content, and folders (None), after a cut now.

        Of the waiting changes of names, `all` are kept, `none`, or the first (`early`): a journal keeps their
        order. Of writes as `File.after` says.
        """
        waiting = self._waiting
        count = {"all": len(waiting), "none": 0, "early": dice.randrange(len(waiting) + 1)}[names]
        state: dict[int, Names] = {}
        for change in waiting[:count]:
            for folder, name, node in change.names:
                _set(state.setdefault(id(folder), dict(folder.synced)), name, node)
        found: dict[str, bytes | None] = {}
        todo = [("", self.root)]
        while todo:
            prefix, folder = todo.pop()
            for name, node in state.get(id(folder), folder.synced).items():
                if isinstance(node, Folder):
                    found[prefix + name] = None
                    todo.append((f"{prefix}{name}/", node))
                else:
                    found[prefix + name] = node.after(data, dice)
        return found


def _apply(content: bytearray, write: Write) -> None:
    offset, data = write
    if data is None:
        if offset < len(content):
            del content[offset:]
        else:
            content.extend(bytes(offset - len(content)))
        return
    if offset > len(content):
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data


def _set(names: Names, name: str, node: File | Folder | None) -> None:
    if node is None:
        names.pop(name, None)
    else:
        names[name] = node


def _below(folder: Folder) -> Iterator[File | Folder]:
    for node in folder.now.values():
        yield node
        if isinstance(node, Folder):
            yield from _below(node)


def lay(state: dict[str, bytes | None], target: Path) -> None:
    """Make a state in a new folder."""
    target.mkdir(mode=0o700)
    for path, content in sorted(state.items()):
        if content is None:
            (target / path).mkdir(0o700)
        else:
            handle = os.open(target / path, os.O_WRONLY | os.O_CREAT, 0o700)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
