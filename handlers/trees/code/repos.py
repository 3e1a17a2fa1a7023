"""Repositories: code that is pushed with git, and the images built from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

from chains.builds.repositories import Commit, CommittedFile, TreeEntry, percent_bytes, shown_ref
from chains.builds.run_store import BuildStatus
from chains.language.ast import RepoRef
from chains.language.trigger_lines import TriggerKind, with_name
from handlers.rules.kinds import ResourceKind
from handlers.rules.media import HEAD, UNKNOWN, shown_media
from handlers.services.build_images import image_states, lost_labels, with_image
from handlers.services.runs.job_triggers import TRIGGERS
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.code.job_access import remark_on_pushers
from handlers.trees.code.repo_builds import (
    COPIED,
    build_log,
    build_rows,
    draft_fork,
    finish_fork,
    repeat_build,
    status,
)
from handlers.trees.code.repo_commit import COMMIT_FILE
from handlers.trees.facets.meta import meta
from handlers.trees.facets.renames import draft_mending, finish_rename
from handlers.trees.facets.threads import THREADS
from handlers.trees.facets.variables import VARIABLES
from vfs.call import Data, Reply, Stream
from vfs.context import Context
from vfs.errors import NotFound
from vfs.nodes import KIB, Dir, Each, File, Items, Link, Named, Subtree
from vfs.param import Param
from vfs.parts import SEEN_BY_ALL, choice, flag, value
from vfs.path import is_segment
from vfs.ports.blobs import chunks
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName

SHA = re.compile(r"[0-9a-f]{40}")
NEWEST = 1_000
LARGEST_DIFFERENCE = 256 * KIB
COMMITTED: Param[Commit] = Param("sha")
PATH: Param[CommittedFile | Sequence[TreeEntry]] = Param("path")


def clone_address(context: Context[World]) -> str:
    """Return the address from which git clones the repository (decisions 23c)."""
    return f"{hints_of(context.call).origin}/git/{context.here.owner}/{context.here.name}.git"


def ssh_address(context: Context[World]) -> str:
    """Return the address from which git clones over SSH, or a sentence if SSH is off."""
    settings = context.world.service.settings
    if not settings.ssh_host:
        return "off: this server takes no git over SSH; clone by url"
    return f"ssh://{settings.ssh_user}@{settings.ssh_host}/{context.here.owner}/{context.here.name}.git"


def labels(context: Context[World]) -> Data:
    """Return branches and tags as labels, with their commits and the commits of their images.

    `built` is null without an image. As text, a third column shows a missing image, or the commit of the
    image where it differs, because the newest build has not ended or failed.
    """
    images = context.world.code.builds.images(context.here.id)
    lost = lost_labels(context.world, context.here.id)
    built = {label: image.commit for label, image in images.items() if label not in lost}
    rows = [
        {"label": label, "commit": ref.commit, "built": built.get(label)}
        for label, ref in sorted(context.world.code.repositories.labels(context.here.id).items())
    ]

    def line(row: dict[str, str | None]) -> str:
        made = row["built"]
        of_another = f"\timage of {made}" if made not in (None, row["commit"]) else ""
        return f"{row['label']}\t{row['commit']}{of_another}" + "\tmissing" * (row["label"] in lost) + "\n"

    return Data(rows, lambda rows: "".join(map(line, rows)))


def branches(context: Context[World]) -> Data:
    """Return branches with their commits, the default one first."""
    found = context.world.code.repositories.branches(context.here.id)
    rows = [{"branch": shown_ref(name), "commit": commit} for name, commit in found.items()]
    return Data(rows, lambda rows: "".join(f"{row['branch']}\t{row['commit']}\n" for row in rows))


def newest(context: Context[World]) -> Iterator[Named]:
    """Yield the newest commits of all branches and tags."""
    for mark in context.world.code.repositories.commits(context.here.id, NEWEST):
        extra = {"author": mark.author, "subject": mark.subject}
        yield Named(mark.sha, mark.date, mark.date, extra=extra)


def difference(context: Context[World]) -> str:
    """Return the changes of a commit as a git patch; its last line says if it was cut."""
    found = context.world.code.repositories.difference(
        context.here.id, context[COMMITTED], LARGEST_DIFFERENCE
    )
    cut = f"\n… the first {LARGEST_DIFFERENCE // KIB} KiB; git shows all of it\n"
    return found.patch + cut * found.cut


def look(context: Context[World]) -> CommittedFile | Sequence[TreeEntry] | None:
    """Return the entries of a folder of a commit, or the file at a path."""
    repositories, sha, path = (
        context.world.code.repositories,
        context.segment(COMMITTED),
        context.segment(PATH),
    )
    file = repositories.file(context.here.id, sha, path) if path else None
    found = file or repositories.entries(context.here.id, sha, path)
    if found is None and (meant := _committed_path(context, sha, path)) != path:
        return repositories.file(context.here.id, sha, meant) or repositories.entries(
            context.here.id, sha, meant
        )
    return found


def _committed_path(context: Context[World], sha: str, path: str) -> str:
    """Return the real path of a file in a commit whose shown path has percent-encoded names."""
    folder = ""
    for name in path.split("/") if "%" in path else ():
        entries = context.world.code.repositories.entries(context.here.id, sha, folder) or ()
        meant = next((entry.name for entry in entries if shown_name(entry.name) == name), name)
        folder = f"{folder}/{meant}" if folder else meant
    return folder or path


def shown_name(name: str) -> str:
    """Return a name in a commit as it is listed: signs that no path allows are percent-encoded."""
    return "".join(sign if is_segment(sign) or sign == "." else percent_bytes(sign) for sign in name)


def entries(context: Context[World]) -> Iterator[Named]:
    """Yield the entries of a folder of a commit; links and submodules are listed as links.

    In a name, bytes that are not UTF-8, control characters and backslashes are percent-encoded.
    """
    date, found = context[COMMITTED].date, context[PATH]
    for entry in found if not isinstance(found, CommittedFile) else ():
        yield _row(entry, date)


def last_changes(context: Context[World]) -> Data:
    """Return the newest commit that changed each entry of a folder, by entry name. Raises NotFound."""
    folder, sha = context.call.query.get("folder", "").strip("/"), context[COMMITTED].sha
    repositories = context.world.code.repositories
    found = repositories.entries(context.here.id, sha, folder)
    if found is None:
        raise NotFound(f'the commit has no folder "{folder[:200]}": name one that its files list')
    names = [entry.name for entry in found if is_segment(entry.name)]
    marks = repositories.last_changes(context.here.id, sha, folder, names)
    return Data(
        {
            name: {"commit": mark.sha, "date": mark.date, "author": mark.author, "subject": mark.subject}
            for name, mark in sorted(marks.items())
        }
    )


def _row(entry: TreeEntry, date: str) -> Named:
    size = {"size": entry.size} if entry.type == "file" else None
    folder, link = entry.type == "dir", entry.type == "link"
    return Named(shown_name(entry.name), date, date, folder=folder, link=link, extra=size)


def shown_commit(context: Context[World]) -> Named:
    """Return a commit with its time, which all its files share."""
    one = context[COMMITTED]
    return Named(one.sha, one.date, one.date, one)


def content(context: Context[World]) -> Reply:
    """Return a file of a commit: code as plain text, whatever its name; of a link, its target."""
    file = context[PATH]
    assert isinstance(file, CommittedFile)
    stream = file.open()
    head = stream.read(HEAD)
    media = shown_media(context.name, head)
    pieces = Stream(chain((head,), chunks(stream)), media, size=file.size, tag=file.id)
    return Reply(pieces, filename=context.name if media == UNKNOWN else None)


def create_repository(context: Context[World]) -> None:
    """Make the repository on disk."""
    context.world.code.repositories.create(context.here.id)


def remove_repository(world: World, repo: Item) -> None:
    """Discard the builds; the repository itself is removed after the transaction."""
    world.code.builds.discard(repo.id)
    world.after_commit(lambda: world.code.repositories.remove(repo.id))


KIND = ResourceKind(
    name="repo",
    family="code",
    folder="repos",
    title="Repositories",
    letter="r",
    paged=True,
    says="a program, by git push",
    shows="Files",
    further_pages={"commits": "Commits", "builds": "Builds"},
    rights={
        "x": "use as a step",
        "r": "read",
        "rx": "read and use",
        "rw": "push",
        "rwx": "push and use",
    },
    default_type="job",
    claims="repo",
    states=image_states,
    chain_ref=RepoRef,
    mended_in={TRIGGERS: partial(with_name, TriggerKind.PUSH)},
    counts=(QuotaName.ITEMS, QuotaName.REPOS),
    remark_share=lambda world, repo, letters: remark_on_pushers(world, repo) if "w" in letters else "",
    ended=remove_repository,
)

COMMIT = Dir(
    {
        "message": value(lambda p: p[COMMITTED].message, about="the commit's message"),
        "author": value(lambda p: p[COMMITTED].author, about="who wrote it"),
        "date": value(lambda p: p[COMMITTED].date, about="when it was committed"),
        "diff": value(difference, about="its changes against its first parent, at most 256 KiB"),
        "last_changes": value(
            last_changes,
            query={"folder": "the folder whose entries are asked for, as src/data; else the root"},
            about="the newest commit that changed each entry of a folder, of 1,000 at most",
        ),
        "files": Subtree(
            param=PATH,
            look=look,
            folder=lambda fact: isinstance(fact, list),
            names=entries,
            read=content,
            link=lambda fact: isinstance(fact, CommittedFile) and fact.link,
            about="its files",
        ),
    },
    shown=shown_commit,
    about="a commit",
)

REPO = Dir(
    {
        **meta(KIND),
        "threads": THREADS,
        "vars": VARIABLES,
        "url": value(clone_address, rules=SEEN_BY_ALL, about="clone address"),
        "ssh_url": value(ssh_address, rules=SEEN_BY_ALL, about="clone address over SSH"),
        "status": File(
            status,
            repeat_build,
            clear=False,
            largest=KIB,
            values=(str(BuildStatus.BUILDING),),
            still=True,
            rules=SEEN_BY_ALL,
            about="empty, queued, building, ready, failed, or missing (image gone); building repeats it",
        ),
        "log": value(
            build_log,
            query={"build": "the number of another build, as in `builds`"},
            about="the newest build's log",
        ),
        "builds": value(build_rows, about="the newest builds, newest first"),
        "labels": value(labels, about="branches and tags with their commits"),
        "branches": value(branches, about="branches with their commits, the default one first"),
        "commit": COMMIT_FILE,
        "config": Dir(
            {
                "type": choice(
                    "job",
                    "code",
                    default=KIND.default_type,
                    about="job: each push builds an image; code: pushes are only stored",
                ),
                "comments": flag(True, about="whether it takes comments"),
            },
            about="how pushes and comments are handled",
        ),
        "commits": Each(
            COMMITTED,
            COMMIT,
            names=newest,
            has=lambda context, name: context.world.code.repositories.commit(context.here.id, name),
            name=SHA,
            fixed=True,
            about="commits of all branches and tags, newest first",
        ),
    },
    about="a repository",
)
REPOS = Items(
    KIND,
    REPO,
    canonical=True,
    copies=COPIED,
    taking=draft_fork,
    copied=finish_fork,
    made=create_repository,
    mending=partial(draft_mending, KIND),
    renamed=partial(finish_rename, KIND),
    about="repositories",
)


OF_REPO = ("name", "summary", "description", "shortname", "url", "status", "log", "shared", "tags")
"""The entries of a repository that its image shows, too."""


def built_labels(context: Context[World]) -> Data:
    """Return the labels that have an image, with the commit from which it was built."""
    images = context.world.code.builds.images(context.here.id)
    rows = [
        {"label": label, "commit": built.commit, "missing": built.missing}
        for label, built in sorted(images.items())
    ]
    return Data(rows, lambda rows: "".join(f"{row['label']}\t{row['commit']}\n" for row in rows))


IMAGE = Dir(
    {
        **{name: Link(to=name, about=REPO.children[name].about) for name in OF_REPO},
        "labels": value(built_labels, about="its labels, such as latest, with the commits that were built"),
        "config": Dir(
            {
                "repo": value(
                    lambda context: f"@{context.here.owner}/{context.here.name}",
                    rules=SEEN_BY_ALL,
                    about="the repository from which it was built",
                )
            },
            rules=SEEN_BY_ALL,
            about="where it comes from",
        ),
    },
    about="what a repository built; whatever is written here is written to the repository",
)
IMAGES = Items(
    KIND, IMAGE, fixed=True, among=with_image, about="images, one for each repository with a build"
)
