"""Spaces: file storage, a tree of folders and files with a journal of its changes."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator
from functools import partial

from chains.language.trigger_lines import TriggerKind, with_name
from chains.spaces import paths, refusals
from chains.spaces.space import Change, SpaceEntry, Usage
from handlers.rules import mounts
from handlers.rules.kinds import ResourceKind
from handlers.services.run_people import note_writers
from handlers.services.runs.job_triggers import TRIGGERS
from handlers.services.space_changes import noting_changes
from handlers.services.viewer import PROGRAMS, hints_of
from handlers.services.world import World
from handlers.trees.facets.meta import meta
from handlers.trees.facets.renames import SPACES as MOUNTS
from handlers.trees.facets.renames import Draft, draft_mending, finish_rename
from vfs.access import Verb
from vfs.call import Data, Form
from vfs.context import Context
from vfs.errors import Denied, Gone, WrongMedia
from vfs.nodes import Dir, Items, Named, Subtree
from vfs.param import Param
from vfs.parts import boolean, number, text, value
from vfs.ports.blobs import Ref
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName
from vfs.rules import IN_PERSON, R, Rule, W

ANY_BYTES = "application/octet-stream"
MOST_CHANGES = 1_000
PATH: Param[SpaceEntry] = Param("path")


def look(context: Context[World]) -> SpaceEntry | None:
    """Return the file or folder at a path; the root folder always exists."""
    path = context.segment(PATH)
    if not path:
        return SpaceEntry("", None, context.here.created_on, context.here.last_modified)
    entry: SpaceEntry | None = context.world.code.spaces.get(context.here.id, path)
    return entry


def entries(context: Context[World]) -> Iterator[Named]:
    """Return an iterator over the entries of a folder."""
    return map(entry_row, context.world.code.spaces.inside(context.here.id, context.segment(PATH)))


def entry_row(entry: SpaceEntry) -> Named:
    """Return the row of a file or folder."""
    extra = blob_facts(entry.blob) if entry.blob is not None else None
    return Named(entry.name, entry.created_on, entry.last_modified, entry, folder=entry.folder, extra=extra)


def blob_facts(blob: Ref) -> dict[str, object]:
    """Return size, media type and ETag of a file's bytes."""
    return {"size": blob.size, "content_type": blob.media, "etag": etag(blob.digest)}


def etag(digest: str) -> str:
    """Return the ETag of a file's bytes, quoted as in the header: clients send it back unchanged."""
    return f'"{digest}"'


def content(context: Context[World]) -> Ref | Data:
    """Return a file's bytes as they were sent, or its facts if JSON is requested explicitly."""
    entry = context[PATH]
    assert entry.blob is not None
    if context.call.want is not Form.DATA or context.call.verb is not Verb.READ:
        return entry.blob
    return Data(
        {
            "kind": "file",
            "name": entry.name,
            "path": entry.path,
            **blob_facts(entry.blob),
            "created_on": entry.created_on,
            "last_modified": entry.last_modified,
        }
    )


def receive(context: Context[World]) -> Ref:
    """Store the sent bytes, with the media type of the request, or else of the file's name."""
    paths.clean(context.segment(PATH))
    body, spaces, old = context.call.body, context.world.code.spaces, context.get(PATH)
    body.empty()  # refuses forms, which curl sends by default
    if body.media == "multipart/form-data":
        raise WrongMedia("a space stores a file's bytes unchanged: send it with  curl -T FILE")
    if old is not None and old.folder:
        raise refusals.folder_there(context.segment(PATH))
    replaced = old.blob.size if old is not None and old.blob is not None else 0
    kept = context.world.service.quotas.one(context.here.owner, QuotaName.STORAGE)
    room = min(spaces.quota - spaces.usage(context.here.id).size, kept.room) + replaced
    largest = min(context.world.service.settings.space_file_limit, max(room, 0))
    ref: Ref = context.world.blobs.add(
        body.chunks(largest), body.content_type or media_of(context.name), context.here.id
    )
    return ref


def media_of(name: str) -> str:
    """Return the media type that belongs to a file's name."""
    media, encoding = mimetypes.guess_type(name)
    return media if media is not None and encoding is None else ANY_BYTES


def _note_writer(context: Context[World]) -> None:
    """Record the authors of a change of the space; for a run, all its authors."""
    note_writers(context.world, context.here, (context.caller.author or "").split())


def write(context: Context[World], blob: Ref) -> str:
    """Write a complete file, and make its missing folders."""
    _note_writer(context)
    with noting_changes(context.world, context.here.id, context.call.id):
        context.world.code.spaces.put(context.here.id, context.segment(PATH), blob)
    return f"wrote {context.requested}: {blob.size} bytes, {blob.media}\n"


def make(context: Context[World]) -> str | None:
    """Make a folder and its missing parents."""
    _note_writer(context)
    made = context.world.code.spaces.make(context.here.id, context.segment(PATH))
    return f"made the folder {context.requested}\n" if made else f"{context.requested} is there already\n"


def move(context: Context[World], to: str, replace: bool) -> None:
    """Move a file, or a folder with its contents, to another path.

    The published clients cannot ask to replace a file: their `move` replaces it, as `mv` does, unless
    `no_clobber` is set.
    """
    _note_writer(context)
    is_like_mv = hints_of(context.call).program in PROGRAMS.values()
    with noting_changes(context.world, context.here.id, context.call.id):
        context.world.code.spaces.move(
            context.here.id, context.segment(PATH), to, replace=replace or is_like_mv
        )


def remove(context: Context[World]) -> str:
    """Delete a file or folder, with `?recursive=true` also its contents; the root is only emptied."""
    _note_writer(context)
    spaces, space, path = context.world.code.spaces, context.here.id, context.segment(PATH)
    recursive = boolean(context.call.query.get("recursive") or "false")
    is_empty = not path and not spaces.inside(space, "")
    if not path and not is_empty and not recursive:
        raise refusals.not_empty("content")
    if not is_empty:
        keep = context.world.service.settings.trash_days > 0
        spaces.remove(space, path, recursive=recursive, keep=keep)
    return f"removed {context.requested}\n" if path else f"{context.requested} is empty\n"


def changes(context: Context[World]) -> Data:
    """Return a page of the journal: changes after number `?since=`, at most `?limit=` rows.

    Without `since`, the page begins with the oldest change kept, and `truncated` says if older ones are gone.
    Raises Gone if changes after `since` are missing.
    """
    query, space = context.call.query, context.here.id
    since = int(number(0, 1 << 62)(query.get("since") or "0"))
    limit = min(int(number(1, 1 << 62)(query.get("limit") or str(MOST_CHANGES))), MOST_CHANGES)
    found = context.world.code.spaces.changes(space, since, limit + 1)
    usage = context.world.code.spaces.usage(space)
    latest, truncated = usage.seq, bool(found) and found[0].seq > max(since, usage.start) + 1
    if since > 0 and (truncated or not usage.start <= since <= latest):
        raise _journal_gap(context, since, usage)
    return Data(
        {
            "changes": [change_data(change) for change in found[:limit]],
            "has_more": len(found) > limit,
            "latest_seq": latest,
            "truncated": truncated,
        }
    )


def _journal_gap(context: Context[World], since: int, usage: Usage) -> Gone:
    """Return the refusal for a `since` number with missing changes, or from another journal."""
    kept = context.world.code.spaces.changes(context.here.id, 0, 1)
    oldest = kept[0].seq if kept else usage.seq + 1
    why = f"the changes after {since} are not all kept: the journal begins with {oldest} now"
    if not usage.start <= since <= usage.seq:
        why = (
            f"{since} is no number of this journal: it is of a space that had this name before, or of a time "
            "before a backup was restored"
        )
    return Gone(
        f"{why}. List content again, then continue with  ?since={usage.seq}",
        oldest_seq=oldest,
        latest_seq=usage.seq,
    )


def change_data(change: Change) -> dict[str, object]:
    """Return a row of the journal."""
    return {
        "seq": change.seq,
        "path": change.path,
        "change": change.kind,
        "type": "dir" if change.digest is None else "file",
        "old_path": change.old_path,
        "etag": etag(change.digest) if change.digest is not None else None,
        "size_bytes": change.size,
        "created_on": change.created_on,
    }


def refuse_hold(context: Context[World], *_: object) -> None:
    """Raise Denied for a space that a run's hold needs unchanged."""
    run = context.world.code.runs.hold_spaces.run_of(context.here.id)
    if run is not None:
        raise Denied(
            f"the run {run.id} of {run.origin} has the files of its hold in this space: answer the hold, and "
            "the space goes when the run ends",
            run=run.id,
            run_status=str(run.status),
        )


def rename_space(context: Context[World], item: Item, draft: Draft | None) -> str:
    """Raise what `refuse_hold` raises; report or update references to the space's old name."""
    refuse_hold(context)
    return finish_rename(KIND, context, item, draft)


NOT_PARKED = IN_PERSON | Rule(
    "not parked",
    lambda p: p.world.code.runs.hold_spaces.run_of(p.here.id) is None,
    "a space that is not used by a hold of a run",
)
RULES = {Verb.READ: R & NOT_PARKED, Verb.WRITE: W & NOT_PARKED}

KIND = ResourceKind(
    name="space",
    family="code",
    folder="spaces",
    title="Spaces",
    letter="s",
    paged=True,
    says="a folder of files",
    takes="content/",
    fed="content/",
    shows="Files",
    further_pages={"changes": "Changes"},
    rights={"r": "read", "rw": "edit"},
    aliased=False,
    claims="space",
    public_letters="r",
    secrets=("config/access",),
    mended_in={MOUNTS: mounts.with_name, TRIGGERS: partial(with_name, TriggerKind.CHANGED)},
)

SPACE = Dir(
    {
        **meta(KIND, RULES),
        "content": Subtree(
            param=PATH,
            look=look,
            folder=lambda entry: entry.folder,
            names=entries,
            shown=lambda context: entry_row(context[PATH]),
            read=content,
            receive=receive,
            write=write,
            create=make,
            rename=move,
            remove=remove,
            query={"recursive": "DELETE of a folder: `true` removes all that it holds too"},
            rules=RULES,
            about="folders and files of any type, at most 64 levels deep",
        ),
        "changes": value(
            changes,
            query={"since": "the last number that was seen", "limit": "the most rows"},
            rules=RULES,
            about="the journal, a page from ?since= on, at most ?limit= rows",
        ),
        "config": Dir(
            {
                "access": Dir(
                    {"ssh": text(about="stored for later"), "web": text(about="stored for later")},
                    about="other ways in, stored for later",
                )
            },
            rules=RULES,
            about="how it may be reached",
        ),
    },
    about="a space",
)
SPACES = Items(
    KIND,
    SPACE,
    canonical=True,
    gone=refuse_hold,
    mending=lambda context, name: draft_mending(KIND, context, name),
    renamed=rename_space,
    about="spaces: file storage",
)
