"""Commits sent to a repository without git: files of a form, or changes as a JSON document."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path as Folder

from chains.builds.repositories import FileChange
from handlers.services.pushes import MOST_CHANGES, commit_files
from handlers.services.run_people import note_writers
from handlers.services.world import World
from vfs.body import Body, known_fields, refuse_in_address
from vfs.call import Data, Outcome, Reply
from vfs.context import Context
from vfs.errors import Invalid, WrongMedia
from vfs.nodes import MIB
from vfs.parts import action
from vfs.path import Path
from vfs.ports.quotas import QuotaName
from vfs.rules import SIGNED_IN, W

JSON, FORM = "application/json", "multipart/form-data"
LARGEST = 16 * MIB
QUERY = {
    "message": "of files of a form: what the commit says; made of their names when it is missing",
    "branch": "the branch that they go to; else the default one",
    "parent": "the commit that they were made from: a file that was changed since then is not replaced",
    "folder": "the folder that they go to; else the root",
}
TEXTS = ("branch", "message", "parent", "start")
KEYS = (*TEXTS, "changes")
CHANGE_KEYS = ("path", "text", "new", "to", "remove")
SENDS = (
    "send files (curl -F file=@main.py), or JSON such as "
    '{"message": "Fix a typo", "changes": [{"path": "main.py", "text": "print(1)\\n"}]}'
)
SCHEMA = {
    "type": "object",
    "required": ["changes"],
    "properties": {
        **{key: {"type": "string"} for key in TEXTS},
        "changes": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["path"],
                "properties": {
                    **{key: {"type": "string"} for key in ("path", "text", "to")},
                    **{key: {"type": "boolean"} for key in ("new", "remove")},
                },
            },
        },
    },
}


def commit(context: Context[World], body: Body) -> Reply:
    """Commit the sent files or changes to a branch, as a push does."""
    context.call.ongoing.begin(spare=True)
    if body.media == FORM:
        return _commit_files(context, body)
    if body.media != JSON:
        raise WrongMedia(f"a commit is not made of {body.media or 'a body without Content-Type'}: {SENDS}")
    refuse_in_address(context.call.query, KEYS)
    sent = known_fields(body.data(LARGEST), KEYS)
    changes = sent.get("changes")
    if not isinstance(changes, list):
        raise Invalid(f'"changes" is missing: {SENDS}')
    texts = {key: _text(sent, key) for key in TEXTS}
    if texts["start"] and texts["parent"]:
        raise Invalid('send "start" to begin a new branch, or "parent" to go on with one: not both')
    return _reply(context, [_change(one) for one in changes], texts)


def _commit_files(context: Context[World], body: Body) -> Reply:
    """Commit the files of a form."""
    query = context.call.query
    largest = context.world.service.quotas.one(context.here.owner, QuotaName.PUSH).limit
    above = f"{folder}/" if (folder := query.get("folder", "").strip("/")) else ""
    with tempfile.TemporaryDirectory(prefix="curlew-commit-") as name:
        paths = body.files(Folder(name), largest, MOST_CHANGES)
        changes = [FileChange(f"{above}{path}", Folder(name, path)) for path in paths]
        return _reply(context, changes, query)


def _reply(context: Context[World], changes: Sequence[FileChange], fields: Mapping[str, str]) -> Reply:
    start = fields.get("start", "")
    note_writers(context.world, context.here, (context.caller.author or "").split())
    made = commit_files(
        context.world,
        context.here,
        context.me,
        changes,
        message=fields.get("message", ""),
        branch=fields.get("branch", ""),
        parent=start or fields.get("parent") or None,
        starts=bool(start),
    )
    answer = {"commit": made.commit, "said": list(made.said)}
    said = "".join(f"{line}\n" for line in (f"committed {made.commit}", *made.said))
    location = str(Path(context.requested[:-1]) / ("commits", made.commit))
    return Reply(Data(answer, lambda _: said), Outcome.CREATED, location=location)


def _change(sent: object) -> FileChange:
    """Return one change of the document. Raises Invalid."""
    fields = known_fields(sent, CHANGE_KEYS)
    path, to = _text(fields, "path"), _text(fields, "to")
    actions = [key for key in ("text", "to", "remove") if fields.get(key) not in (None, False)]
    if not path or len(actions) != 1:
        raise Invalid('each change has a "path", and one of "text", "to" (its new path) and "remove": true')
    content = _text(fields, "text").encode() if actions == ["text"] else None
    return FileChange(path, content, to, fresh=fields.get("new") is True)


def _text(sent: Mapping[str, object], key: str) -> str:
    text = sent.get(key) or ""
    if not isinstance(text, str):
        raise Invalid(f'"{key}" is a text')
    return text


COMMIT_FILE = action(
    commit,
    needs=W & SIGNED_IN,
    wants="raw",
    media=(JSON, FORM),
    schema=SCHEMA,
    largest=LARGEST,
    long=True,
    still=True,
    query=QUERY,
    about="commits files of a form, or changes of a JSON document, to a branch, as a push does",
)
