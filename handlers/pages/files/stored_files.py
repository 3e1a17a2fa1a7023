"""StoredFiles: files of a space, including those of a hold; each change is stored at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from chains.spaces.refusals import Taken
from handlers.pages.acting.fields import FIELD, at_field
from handlers.pages.editing.edited_texts import EditedText, ShownText, TextConflict
from handlers.pages.files.file_tree import Action, FileTree, with_line_ends
from handlers.pages.files.folder_page import chosen_name, chosen_names, typed_path
from handlers.pages.forms import Bytes, Json, SentForm, pieces_of
from handlers.pages.items.item_path import ItemPath, item_of
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from handlers.pages.trash import moved_to_trash
from vfs.access import Verb
from vfs.call import Data, Reply
from vfs.errors import Denied, Gone, Invalid, NotFound, Outdated, Unauthenticated, VfsError
from vfs.path import Path
from vfs.ports.blobs import Ref

MOST_LISTED = 20
"""Maximum files that an error lists."""
MOST_CHANGES, SEARCHED = 10, 1_000
"""Maximum changes shown for a file, and journal rows that are searched for them."""
WORDS = {"create": "made", "update": "changed", "move": "moved", "delete": "deleted"}
AT, CHANGES = "at", "changes"
RESERVED = frozenset((AT, CHANGES, "settings", "share", "activity", "comments", "edit", "versions"))
"""First names below a space that are pages; a file with such a name is found below `at`."""
Expect = Callable[[Reply | None, Reply | None], None]


@dataclass(frozen=True, kw_only=True)
class StoredFiles(FileTree):
    """Files of a space; those of a hold have their pages below the page of its run."""

    def action(self, names: Sequence[str]) -> Path:
        """Return the address that takes the forms of a folder."""
        behind = (AT,) if not self.above and names and names[0] in RESERVED else ()
        return self.pages / (*behind, *names)

    @property
    def actions(self) -> Mapping[str, Action]:
        """The forms of a folder, by their keys."""
        return {
            "upload": self._upload,
            "folder": self._make_folder,
            "move": self._move,
            "replace": self._move,
            "delete": self._delete,
        }

    def save_text(
        self, names: Sequence[str], request: PageRequest, form: SentForm, text: EditedText
    ) -> Redirect:
        """Write a text that was changed, or whose file was removed. Raises Outdated."""
        if text.is_changed or not text.etag:
            stored = self.find(request, names)
            sent = Bytes([with_line_ends(text.text, stored.raw if stored is not None else b"").encode()])
            request.call(Verb.WRITE, self.content / names, sent, expect=expect_version(text.etag))
        return Redirect(str(self.front if self.above else self.page_of(names)), done="filesaved")

    def conflict(
        self, names: Sequence[str], request: PageRequest, mine: EditedText, refusal: Outdated
    ) -> TextConflict:
        """Return the present file and the time of its change; "" without a version if it was removed."""
        last = next(iter(self.changes(request, names)), None)
        time, now = last["created_on"] if last else None, self.find(request, names)
        if now is None:
            return TextConflict(mine, ShownText("", ""), None, time, removed=True)
        return TextConflict(mine, now.as_shown_text(), None, time)

    def changes(self, request: PageRequest, names: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        """Return the last changes of a file."""
        latest, path = journal(request, self.at, 0, 1).get("latest_seq", 0), "/".join(names)
        facts = journal(request, self.at, max(0, latest - SEARCHED), SEARCHED)
        found = (change for change in changes_in(facts) if path in (change["path"], change["old_path"]))
        return list(islice(found, MOST_CHANGES))

    def _upload(self, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
        """Add the chosen files, including those of folders; files of the same names are replaced.

        Each is stored separately, as a transfer may take long; an error names all files that were refused.
        """
        stored: list[str] = []
        refused: dict[str, VfsError] = {}
        with form.unpack(request.world.service.settings.input_parts) as files:
            if not files:
                raise Invalid("choose a file first")
            for name, file in files.items():
                path = self.content / (*names, *name.split("/"))
                try:
                    request.call(Verb.WRITE, path, Bytes(pieces_of(file)))
                except Unauthenticated:
                    raise
                except VfsError as refusal:
                    refused[name] = refusal
                else:
                    stored.append(name)
        if refused:
            raise _refusal_of(refused, stored)
        return Redirect(str(self.page_of(names)), done="uploaded")

    def _make_folder(self, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
        """Create a folder and redirect to it."""
        with at_field("name"):
            made = (*names, *typed_path(form["name"]))
            request.call(Verb.CREATE, self.content / made, folder=True)
        return Redirect(str(self.page_of(made)), done="foldermade")

    def _move(self, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
        """Move one entry to another path from the root; ask before a file is replaced."""
        chosen = chosen_name(form)
        with at_field("to"):
            to = typed_path(form["to"])
            if to == [*names, chosen]:
                raise Invalid("the path is unchanged: enter another one")
            requested = {"to": "/".join(to), "replace": form["do"] == "replace"}
            try:
                request.call(Verb.RENAME, self.content / (*names, chosen), Json(requested))
            except Taken as taken:
                taken.members[FIELD] = "replace"
                taken.detail = f'a file "{"/".join(to)}" exists already; nothing was moved'
                raise
        return Redirect(str(self.page_of(names)), done="moved", values={"name": chosen, "to": "/".join(to)})

    def _delete(self, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
        """Delete the chosen entries, folders with their content: all or none."""
        chosen = chosen_names(form)
        with request.world.atomic():
            for name in chosen:
                path = self.content / (*names, name)
                try:
                    request.call(Verb.REMOVE, path, query={"recursive": "true"})
                except NotFound:
                    said = f'"{name}" no longer exists; nothing was deleted: choose again'
                    raise Outdated(said) from None
                except VfsError as refusal:
                    refusal.detail = f'"{name}": {refusal.detail}; nothing was deleted'
                    raise
        named = chosen[0] if len(chosen) == 1 else f"{len(chosen)} entries"
        there = Redirect(str(self.page_of(names)), done="dropped", values={"name": named})
        return moved_to_trash(request, there, item_of(request, self.at), len(chosen))


def journal(request: PageRequest, at: ItemPath, since: int, limit: int) -> Mapping[str, Any]:
    """Return a page of the journal; empty without read access. Changes no longer stored are skipped."""
    if limit <= 0:
        return {}
    query = {"since": str(since), "limit": str(limit)}
    try:
        reply = request.call(Verb.READ, at.api / CHANGES, query=query)
    except Gone:
        return journal(request, at, 0, limit) if since else {}
    except (Denied, Unauthenticated):
        return {}
    assert isinstance(reply.value, Data)
    facts: Mapping[str, Any] = reply.value.value
    return facts


def changes_in(facts: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the changes of a page of the journal with their labels, newest first."""
    for change in reversed(facts.get("changes", ())):
        names, is_there = change["path"].split("/"), change["change"] != "delete"
        yield {**change, "word": WORDS[str(change["change"])], "names": names, "is_there": is_there}


def expect_version(tag: str) -> Expect:
    """Return the condition that a file is still the version shown; "" means that there is no file."""

    def expect(present: Reply | None, replaced: Reply | None) -> None:
        value = replaced.value if replaced is not None else None
        now = f'"{value.digest}"' if isinstance(value, Ref) else ""
        if now != tag:
            said = "somebody changed this file meanwhile" if tag and now else "somebody removed it meanwhile"
            raise Outdated(f"{said if tag else 'a file with that name exists already'}: nothing was stored")

    return expect


def _refusal_of(refused: Mapping[str, VfsError], stored: Sequence[str]) -> VfsError:
    """Return the error of the first file, which reports the result of every file."""
    first = next(iter(refused.values()))
    if not stored and len(refused) == 1:
        return first
    why = "; ".join(f'"{name}": {one.detail}' for name, one in list(refused.items())[:MOST_LISTED])
    there = f"stored: {_name_some(stored)}" if stored else "nothing was stored"
    more = f"; and {len(refused) - MOST_LISTED} more" if len(refused) > MOST_LISTED else ""
    first.detail = (
        f"{len(refused)} of {len(refused) + len(stored)} files were not stored: {why}{more}; {there}"
    )
    return first


def _name_some(names: Sequence[str]) -> str:
    """Return a few names, and the number of the others."""
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return ", ".join(f'"{name}"' for name in names[:MOST_LISTED]) + more
