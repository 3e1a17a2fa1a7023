"""Repositories: code that is pushed with git, and the images built from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

from chains.builds.book import Build, BuildStatus
from chains.builds.repositories import Commit, CommittedFile, TreeEntry
from chains.language.ast import RepoRef
from handlers.rules.kinds import ResourceKind
from handlers.rules.media import HEAD, UNKNOWN, shown_media
from handlers.services.build_images import image_state, image_states, lost_labels, rebuilds
from handlers.services.hints import hints_of
from handlers.services.world import World
from handlers.trees.code.repo_copy import COPIED, draft_fork, finish_fork
from handlers.trees.code.secret_readers import remark_on_pushers
from handlers.trees.facets.meta import meta
from handlers.trees.facets.renames import draft_mending, finish_rename
from handlers.trees.facets.threads import THREADS
from handlers.trees.facets.variables import VARIABLES
from vfs.call import Data, Outcome, Reply, Stream
from vfs.errors import Conflict, Invalid
from vfs.nodes import KIB, Dir, Each, File, Items, Named, Subtree
from vfs.param import Param
from vfs.parts import SEEN_BY_ALL, choice, flag, value
from vfs.path import is_segment
from vfs.place import Place
from vfs.ports.blobs import chunks
from vfs.ports.quotas import QuotaName

SHA = re.compile(r"[0-9a-f]{40}")
NEWEST = 1_000
COMMITTED: Param[Commit] = Param("sha")
PATH: Param[CommittedFile | Sequence[TreeEntry]] = Param("path")


def clone_address(place: Place[World]) -> str:
    """The address from which git clones the repository (decisions 23c)."""
    return f"{hints_of(place.call).origin}/git/{place.here.owner}/{place.here.name}.git"


def ssh_address(place: Place[World]) -> str:
    """The address from which git clones over SSH, or a sentence where that is off."""
    settings = place.world.service.settings
    if not settings.ssh_host:
        return "off: this server takes no git over SSH; clone by url"
    return f"ssh://{settings.ssh_user}@{settings.ssh_host}/{place.here.owner}/{place.here.name}.git"


def status(place: Place[World]) -> str:
    """`empty` without a branch or tag, then the newest build's, or `missing` where an image is gone."""
    return image_state(place.world, place.here.id)


def repeat_build(place: Place[World], sent: str) -> Reply:
    """Queue the builds of images that are gone, else the newest again: not all failures are the code's."""
    if sent.strip() != str(BuildStatus.BUILDING):
        raise Invalid(f'the only status to post is "building", not "{sent.strip()[:40]}"')
    world, item = place.world, place.here.id
    build: Build | None = world.code.builds.latest(item)
    if build is None:
        raise Conflict("nothing was built yet: push to the repo")
    if not build.status.ended:
        raise Conflict("the newest build has not ended yet; the log tells how it goes")
    if lost := list(rebuilds(world, item)):
        world.service.quotas.admit_more(place.here.owner, QuotaName.BUILDS, len(lost))
        for order in lost:
            order.queue(world)
        named = ", ".join(f"{place.here.name}:{label}" for order in lost for label in order.labels)
        return Reply(f"building {named} again; the log tells how it goes\n", Outcome.ACCEPTED)
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
    """The log of the newest build, why it failed, and what is missing; empty while nothing was built."""
    build: Build | None = place.world.code.builds.latest(place.here.id)
    if build is None:
        return ""
    ends = [f"failed: {build.error}"] if build.error else []
    if lost := lost_labels(place.world, place.here.id):
        ends.append(
            f"missing: the image store has no {', '.join(lost)} any more; post building to the status, "
            "or push again, to have it built"
        )
    return "".join(f"{line}\n" for line in (*place.world.code.builds.lines(build.id), *ends))


def labels(place: Place[World]) -> Data:
    """Branches and tags as labels: the commit that each names, and the one that its image was built from.

    An image that is not there was built from none; as text, that it is missing stands behind the commit.
    """
    images = place.world.code.builds.images(place.here.id)
    lost = lost_labels(place.world, place.here.id)
    built = {label: image.commit for label, image in images.items() if label not in lost}
    rows = [
        {"label": label, "commit": commit, "built": built.get(label)}
        for label, commit in sorted(place.world.code.repositories.labels(place.here.id).items())
    ]

    def line(row: dict[str, str | None]) -> str:
        return f"{row['label']}\t{row['commit']}" + "\tmissing" * (row["label"] in lost) + "\n"

    return Data(rows, lambda rows: "".join(map(line, rows)))


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
    """The entries of a folder of a commit that can be asked for; links and submodules are listed as links.

    What no path can spell (bytes that are not UTF-8, control signs, a backslash) is there for git alone.
    """
    date, found = place[COMMITTED].date, place[PATH]
    for entry in found if not isinstance(found, CommittedFile) else ():
        if is_segment(entry.name):
            yield _row(entry.name, date, entry.type)


def _row(name: str, date: str, kind: str) -> Named:
    return Named(name, date, date, folder=kind == "dir", link=kind == "link")


def shown_commit(place: Place[World]) -> Named:
    """A commit with its time, which is that of all in it."""
    one = place[COMMITTED]
    return Named(one.sha, one.date, one.date, one)


def content(place: Place[World]) -> Reply:
    """A file of a commit: code as plain text, whatever it is called; of a link, where it leads."""
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
    says="a program, by git push",
    shows="Files",
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
    counts=(QuotaName.ITEMS, QuotaName.REPOS),
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
            about="empty, building, ready, failed, or missing where an image is gone; building repeats it",
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
    mending=partial(draft_mending, KIND),
    renamed=partial(finish_rename, KIND),
    about="repositories",
)
