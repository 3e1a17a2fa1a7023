"""Who may do what to a job and its runs, what they see of them, and what may be left of one that is
removed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.kit.clocks import until
from tests.proof.cases import Case, Job
from tests.proof.empty_world import JOBS, EmptyWorld
from vfs.access import Grant

LETTERS = {"alice": "rwdx", "bob": "x", "carol": "r", "dave": "", "erin": ""}


def found(empty_world: EmptyWorld, job: Job, chain: str) -> None:
    """Make the job, with all it is said to be."""
    place = f"{JOBS}/{job.name}"
    empty_world.made("PUT", place)
    empty_world.made("POST", f"{place}/config/chains", chain)
    item = empty_world.world.items.find("job", "alice", job.name, "alice")
    assert item is not None
    shares = [(f"@{user}", letters) for user, letters in LETTERS.items() if user != "alice" and letters]
    for target, letters in [*shares, *([("public", "x")] if job.public else [])]:
        empty_world.world.grants.give(item.item.id, Grant(target, letters, f"{target}~{letters}"))
    if job.claim:
        empty_world.made("POST", f"{place}/config/access", "repo_ro")
    if job.scheduled:
        empty_world.made("POST", f"{place}/config/schedule", "* * * * *")
    for user, level in job.levels.items():
        answer = empty_world.ask(user, "POST", f"{path(user, job.name)}/notifications", level)
        assert answer.status < 300, answer


def path(user: str, job: str) -> str:
    """The job as the user spells it."""
    return f"{JOBS}/{job}" if user == "alice" else f"/v1/users/alice/code/jobs/{job}"


def run_path(user: str, case: Case) -> str:
    """The run as the user spells it."""
    return f"{path(user, case.job.name)}/runs/{case.id}"


def refused(user: str, job: Job, letter: str) -> int | None:
    """The status of a refusal: 404 to those who see nothing of the job, 403 to those without the letter."""
    held = LETTERS[user] + ("x" if job.public else "")
    if letter in held:
        return None
    return 403 if held else 404


def refused_on(user: str, case: Case) -> int | None:
    """The same for stopping and answering a run: through the public only one's own."""
    if refusal := refused(user, case.job, "x"):
        return refusal
    return None if "x" in LETTERS[user] or case.model.by == user else 403


def check_notices(empty_world: EmptyWorld, jobs: Sequence[Job]) -> None:
    """Fail unless everybody has got the notices of the jobs that they want, and no others."""
    for job in jobs:
        found = empty_world.world.items.find("job", "alice", job.name, "alice")
        assert found is not None
        for user in LETTERS:
            notices = [
                notice
                for notice in empty_world.world.social.notices.of(user)
                if notice.item == found.item.id and notice.kind != "waiting"
            ]
            assert Counter(notice.kind for notice in notices) == job.notices.get(user, Counter()), (job, user)
        answer = empty_world.ask("alice", "GET", f"{JOBS}/{job.name}/config/enabled")
        assert answer.body.strip() == (b"true" if job.enabled else b"false")


def removed(empty_world: EmptyWorld, job: Job) -> None:
    """Remove a job and its notices."""
    empty_world.made("DELETE", f"{JOBS}/{job.name}")
    if job.shape.inner is not None:
        empty_world.made("DELETE", f"{JOBS}/in{job.name}")
    for user in LETTERS:
        for notice in empty_world.world.social.notices.of(user):
            empty_world.world.social.notices.remove(user, notice.id)


def nothing_left(empty_world: EmptyWorld) -> None:
    """No space, no frozen copy, no container, no folder, no credential."""
    kept = "SELECT kind, name FROM item WHERE kind IN ('space', 'frozen', 'job')"
    assert empty_world.live_world.database.rows(kept) == []
    assert empty_world.credentials() == set()
    containers = until(empty_world.stage.runs, lambda runs: not runs)
    assert containers == set(), containers
    left = until(empty_world.folders, lambda names: not names)
    assert left == [], left


def swept(empty_world: EmptyWorld) -> None:
    """Whatever an example left is gone."""
    empty_world.stage.forget()
    rows = empty_world.live_world.database.rows("SELECT name FROM item WHERE kind = 'job'")
    for (name,) in rows:
        empty_world.made("DELETE", f"{JOBS}/{name}")
    if rows:
        empty_world.end()
        empty_world.start()
