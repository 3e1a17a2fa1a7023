"""Repositories: code that is pushed with git, and the images built from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from chains.builds.book import Build, BuildStatus
from chains.builds.repositories import Commit, CommittedFile, TreeEntry
from handlers.rules.kinds import ResourceKind
from handlers.rules.media import HEAD, UNKNOWN, shown_media
from handlers.services.hints import hints_of
from handlers.services.world import World
from handlers.trees.code.repo_copy import COPIED, draft_fork, finish_fork
from handlers.trees.code.secret_readers import remark_on_pushers
from handlers.trees.facets.meta import meta
from handlers.trees.facets.threads import THREADS
from handlers.trees.facets.variables import VARIABLES
from vfs.call import Data, Outcome, Reply, Stream
from vfs.errors import Conflict, Invalid
from vfs.nodes import KIB, Dir, Each, File, Items, Named, Subtree
from vfs.param import Param
from vfs.parts import SEEN_BY_ALL, choice, flag, value
from vfs.place import Place
from vfs.ports.quotas import QuotaName
from vfs.ports.world import chunks

SHA = re.compile(r"[0-9a-f]{40}")
NEWEST = 1_000
COMMITTED: Param[Commit] = Param("sha")
PATH: Param[CommittedFile | Sequence[TreeEntry]] = Param("path")


def clone_address(place: Place[World]) -> str:
    """The address from which git clones the repository (decisions 23c)."""
    return f"{hints_of(place.call).origin}/git/{place.here.owner}/{place.here.name}.git"


def status(place: Place[World]) -> str:
    """`empty` before the first push, then the newest build's, or `ready` where nothing is built."""
    build: Build | None = place.world.code.builds.latest(place.here.id)
    if build is not None:
        return str(build.status) if build.status.ended else "building"
    return "ready" if place.world.code.repositories.head(place.here.id) is not None else "empty"


def repeat_build(place: Place[World], sent: str) -> Reply:
    """Queue the newest build again: it may have failed through no fault of the code."""
    if sent.strip() != str(BuildStatus.BUILDING):
        raise Invalid(f'the only status to post is "building", not "{sent.strip()[:40]}"')
    world, item = place.world, place.here.id
    build: Build | None = world.code.builds.latest(item)
    if build is None:
        raise Conflict("nothing was built yet: push to the repo")
    if not build.status.ended:
        raise Conflict("the newest build has not ended yet; the log tells how it goes")
    current = world.code.repositories.labels(item)
    labels = [label for label in build.labels if current.get(label) == build.commit]
    if not labels:
        raise Conflict(f"no branch or tag is at the commit of the newest build ({build.commit}): push again")
    # With the rights of who pushed it, whoever has it repeated.
    world.service.quotas.admit_more(place.here.owner, QuotaName.BUILDS)
    world.code.builds.queue(item, labels, build.ref, build.commit, build.by)
    return Reply(
        f"building {place.here.name}:{labels[0]} again; the log tells how it goes\n", Outcome.ACCEPTED
    )


def build_log(place: Place[World]) -> str:
    """The log of the newest build, and why it failed; empty while nothing was built."""
    build: Build | None = place.world.code.builds.latest(place.here.id)
    if build is None:
        return ""
    failure = [f"failed: {build.error}"] if build.error else []
    return "".join(f"{line}\n" for line in (*place.world.code.builds.lines(build.id), *failure))


def labels(place: Place[World]) -> Data:
    """Branches and tags as labels: the commit that each names, and the one that its image was built from."""
    images = place.world.code.builds.images(place.here.id)
    rows = [
        {"label": label, "commit": commit, "built": images[label].commit if label in images else None}
        for label, commit in sorted(place.world.code.repositories.labels(place.here.id).items())
    ]
    return Data(rows, lambda rows: "".join(f"{row['label']}\t{row['commit']}\n" for row in rows))


def newest(place: Place[World]) -> Iterator[Named]:
    """The newest commits of all branches and tags."""
    for mark in place.world.code.repositories.commits(place.here.id, NEWEST):
        yield Named(mark.sha, mark.date, mark.date)


def look(place: Place[World]) -> CommittedFile | Sequence[TreeEntry] | None:
    """The entries of a folder of a commit, or the file at a path."""
    repositories, sha, path = place.world.code.repositories, place.segment(COMMITTED), place.segment(PATH)
    file = repositories.file(place.here.id, sha, path) if path else None
    return file or repositories.entries(place.here.id, sha, path)


def entries(place: Place[World]) -> Iterator[Named]:
    """The entries of a folder of a commit; links and submodules are listed as links."""
    date, found = place[COMMITTED].date, place[PATH]
    for entry in found if not isinstance(found, CommittedFile) else ():
        yield Named(entry.name, date, date, entry, folder=entry.type == "dir")


def content(place: Place[World]) -> Reply:
    """A file of a commit: code as plain text, whatever it is called."""
    file = place[PATH]
    assert isinstance(file, CommittedFile)
    stream = file.open()
    head = stream.read(HEAD)
    media = shown_media(place.name, head)
    pieces = Stream(chain((head,), chunks(stream)), media, size=file.size, tag=file.id)
    return Reply(pieces, filename=place.name if media == UNKNOWN else None)


def create_repository(place: Place[World]) -> None:
    """Make the repository on disk."""
    place.world.code.repositories.create(place.here.id)


def remove_repository(place: Place[World]) -> None:
    """Forget the builds; the repository itself goes once the rows are gone."""
    item = place.here.id
    place.world.code.builds.discard(item)
    place.world.after_commit(lambda: place.world.code.repositories.remove(item))


KIND = ResourceKind(
    name="repo",
    family="code",
    folder="repos",
    title="Repositories",
    letter="r",
    default_type="job",
    claims="repo",
    remark_share=lambda world, repo, letters: remark_on_pushers(world, repo) if "w" in letters else "",
)

COMMIT = Dir(
    {
        "message": value(lambda p: p[COMMITTED].message, about="the commit's message"),
        "author": value(lambda p: p[COMMITTED].author, about="who wrote it"),
        "date": value(lambda p: p[COMMITTED].date, about="when it was committed"),
        "files": Subtree(
            param=PATH,
            look=look,
            folder=lambda fact: isinstance(fact, list),
            names=entries,
            read=content,
            about="its files",
        ),
    },
    about="a commit",
)

REPO = Dir(
    {
        **meta(KIND),
        "threads": THREADS,
        "vars": VARIABLES,
        "url": value(clone_address, rules=SEEN_BY_ALL, about="clone address"),
        "status": File(
            status,
            repeat_build,
            clear=False,
            largest=KIB,
            values=(str(BuildStatus.BUILDING),),
            rules=SEEN_BY_ALL,
            about="empty, building, ready or failed; write building to repeat the newest build",
        ),
        "log": value(build_log, about="the newest build's log"),
        "labels": value(labels, about="branches and tags with their commits"),
        "config": Dir(
            {
                "type": choice(
                    "job",
                    "code",
                    default=KIND.default_type,
                    about="job: each push builds an image; code: it is only kept",
                ),
                "comments": flag(True, about="whether it takes comments"),
            },
            about="what becomes of a push, and of comments",
        ),
        "commits": Each(
            COMMITTED,
            COMMIT,
            names=newest,
            has=lambda place, name: place.world.code.repositories.commit(place.here.id, name),
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
    home=True,
    copies=COPIED,
    taking=draft_fork,
    copied=finish_fork,
    made=create_repository,
    gone=remove_repository,
    about="repositories",
)
