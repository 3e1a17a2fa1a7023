"""What is put into a server before it is stored: a small tree with something of every kind.

It is said over HTTP and git, as people say it, in the words of all releases: what a release did not have yet,
it refuses, and those refusals are kept beside the stored answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.kit.git import Work
from tests.releases.asking import Client

UPPER = """import pathlib
for file in pathlib.Path("/input").iterdir():
    pathlib.Path("/output", file.name).write_text(file.read_text().upper())
    print("made", file.name, "louder")
"""
FAILING = "import sys\nsys.exit('nothing is good enough')\n"
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c4944415408d763f8cfc000000301010018dd8db00000000049454e44ae426082"
)
THREADS = "users/alice/vis/docs/report/threads"
ENDED = ("success", "failed", "waiting", "canceled")
WITHIN = 180.0

Step = tuple[str, str, str | bytes | None]
"""Verb, path below /v1, and what is sent."""

CARD: Sequence[Step] = (
    ("POST", "admin/profile/name", "Alice Aalto"),
    ("POST", "admin/profile/bio", "Counts birds."),
    ("POST", "admin/profile/timezone", "Europe/Helsinki"),
    ("POST", "admin/profile/picture/image", PIXEL),
    ("PUT", "admin/groups/crew", None),
    ("POST", "admin/groups/crew/profile/name", "The crew"),
    ("PUT", "admin/groups/crew/roles/members/bob", None),
    ("PUT", "admin/social/connections/bob", None),
)
CODE: Sequence[Step] = (
    ("PUT", "code/spaces/box", None),
    ("PUT", "code/spaces/box/content/list.txt", "one\ntwo\n"),
    ("PUT", "code/spaces/box/content/deep/er/é.bin", bytes(range(256))),
    ("PUT", "code/jobs/shout", None),
    ("POST", "code/jobs/shout/config/env/WORD", "a secret of alice"),
    ("POST", "code/jobs/shout/config/chains", "upper"),
    ("POST", "code/jobs/shout/config/schedule", "0 7 * * 1\n"),
    ("POST", "code/jobs/shout/config/enabled", "no"),
    ("POST", "code/jobs/shout/config/spaces", "box => /u/alice/s/box\n"),
    ("POST", "code/jobs/shout/summary", "What is sent, louder."),
    ("PUT", "code/jobs/shout/vars/level", None),
    ("POST", "code/jobs/shout/vars/level/value", "11"),
    ("PUT", "code/jobs/slow", None),
    ("POST", "code/jobs/slow/config/chains", "upper -> !publish"),
    ("PUT", "code/jobs/broken", None),
    ("POST", "code/jobs/broken/config/chains", "failing"),
)
VISUALS: Sequence[Step] = (
    ("PUT", "vis/plots/pets", None),
    ("POST", "vis/plots/pets/data", "word,times\nthe,3\ncat,2\ndog,1\n"),
    ("POST", "vis/plots/pets/config/type", "hbar"),
    ("POST", "vis/plots/pets/config/title", "Pets – «named»"),
    ("POST", "vis/plots/pets/config/axis/domains", "x 0 5"),
    ("POST", "vis/plots/pets/config/table/cell/format", "1 : : .1f"),
    ("POST", "vis/plots/pets/config/custom/custom.css", "svg { color: red }"),
    ("POST", "vis/plots/pets/summary", "Who was named most."),
    ("POST", "vis/plots/pets/description", "A **long** text."),
    ("PUT", "vis/plots/pets/vars/most", None),
    ("POST", "vis/plots/pets/vars/most/value", "3"),
    ("PUT", "vis/plots/pets/tags/fav", None),
    ("PUT", "vis/plots/pets/tags/+birds", None),
    ("PUT", "vis/grids/wall", None),
    ("POST", "vis/grids/wall/layout", "+-----+-----+\n| {A} | {B} |\n+-----+-----+\n"),
    ("POST", "vis/grids/wall/mapping", "A => /p/pets\nB => /u/alice/p/pets\n"),
    ("PUT", "vis/docs/report", None),
    ("POST", "vis/docs/report/content", "# Pets\n\n{{ vis ref: /p/pets }}\n\nWritten by hand.\n"),
    ("PUT", "vis/docs/report/assets/dot.png", PIXEL),
    ("PUT", "vis/docs/empty", None),
    ("PUT", "vis/mails/letter", None),
    ("POST", "vis/mails/letter/content", "Good day, see /p/pets.\n"),
    ("POST", "vis/mails/letter/config/subject", "Birds"),
    ("POST", "vis/mails/letter/recipients/to", "@bob\n"),
)
SHARES: Sequence[Step] = (
    ("PUT", "vis/plots/pets/shared/@bob~r", None),
    ("PUT", "vis/docs/report/shared/@bob~rw", None),
    ("PUT", "vis/docs/report/shared/public~r", None),
    ("PUT", "code/jobs/shout/shared/@bob~rx", None),
    ("PUT", "vis/grids/wall/shared/@alice~crew~r", None),
    ("PUT", "code/repos/upper/shared/@bob~r", None),
)
BOBS: Sequence[Step] = (
    ("POST", "admin/invites/@alice~crew/accept", "yes"),
    ("PUT", f"{THREADS}/first", None),
    ("POST", f"{THREADS}/@bob~first/msg", "A first word."),
    ("PUT", f"{THREADS}/@bob~first/comments/second", None),
    ("POST", f"{THREADS}/@bob~first/comments/@bob~second/msg", "And a second."),
    ("POST", "users/alice/vis/docs/report/notifications", "important"),
    ("PUT", "vis/plots/mine", None),
    ("POST", "vis/plots/mine/data", "a,b\n1,2\n"),
)
ACMES: Sequence[Step] = (
    ("PUT", "admin/orgs/acme", None),
    ("POST", "admin/orgs/acme/profile/name", "Acme Birds"),
    ("PUT", "admin/orgs/acme/groups/sales", None),
    ("PUT", "admin/orgs/acme/groups/sales/roles/members/alice", None),
    ("PUT", "admin/orgs/acme/roles/members/bob", None),
)
REPOS = {
    "upper": {"main.py": UPPER, "README.md": "# Louder\n", "lib/words.txt": "a\nb\n"},
    "publish": {"main.py": UPPER},
    "failing": {"main.py": FAILING},
}
RUNS = {"shout": ("success",), "slow": ("waiting",), "broken": ("failed",)}


def fill(client: Client, scratch: Path) -> Sequence[str]:
    """Put it all in; what the release refused."""
    for step in CARD:
        client.say("alice", *step)
    for repo, files in REPOS.items():
        client.say("alice", "PUT", f"code/repos/{repo}", None)
        _push(client, repo, files, scratch / repo)
    for step in CODE:
        client.say("alice", *step)
    for job, ends in RUNS.items():
        _run(client, job, ends)
    for step in (*VISUALS, *SHARES):
        client.say("alice", *step)
    for who, steps in (("bob", BOBS), ("acme", ACMES)):
        for step in steps:
            client.say(who, *step)
    return client.refused


def _push(client: Client, repo: str, files: dict[str, str], scratch: Path) -> None:
    work = Work(scratch)
    work.commit(files)
    origin = client.origin.removeprefix("http://")
    address = f"http://alice:{client.tokens['alice']}@{origin}/git/alice/{repo}.git"
    done = work.run("push", address, "HEAD:main")
    assert done.returncode == 0, done.stderr
    _await(lambda: client.text("alice", f"code/repos/{repo}/status"), ("ready",))


def _run(client: Client, job: str, ends: Sequence[str]) -> None:
    """Trigger a job with a file, and await the end of its run."""
    known = set(_runs(client, job))
    client.trigger("alice", f"code/jobs/{job}/data", "quiet words\n")
    assert set(_runs(client, job)) - known, client.refused
    (run,) = set(_runs(client, job)) - known
    place = f"code/jobs/{job}/runs/{run}"
    try:
        _await(lambda: client.text("alice", f"{place}/status"), ends)
    except AssertionError as error:
        raise AssertionError(f"{job}: {client.text('alice', f'{place}/log')}; {client.refused}") from error


def _runs(client: Client, job: str) -> Iterator[str]:
    return (entry["name"] for entry in client.listing("alice", f"code/jobs/{job}/runs") or ())


def _await(ask: Callable[[], str], wanted: Sequence[str]) -> None:
    """Wait for one of some words."""
    deadline = time.monotonic() + WITHIN
    while (found := ask()) not in wanted:
        assert found not in ENDED and time.monotonic() < deadline, found
        time.sleep(0.3)
