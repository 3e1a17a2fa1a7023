"""Copies of jobs and repositories: what they do, for whoever reads them, and nothing that they keep."""

from __future__ import annotations

import json
from pathlib import Path as Folder

import pytest

from chains.builds.repositories import labels
from chains.language.ast import to_data
from chains.language.chain import parse
from handlers.services.references import References
from handlers.services.runs.run_trigger import RunAsk, order_of
from handlers.trees.code.repo_copy import MOST_BUILDS
from tests.handlers.household import TREE, Household
from tests.handlers.trees.town import Sent
from tests.kit.git import Work
from vfs.access import EVERYTHING, Caller, Claim, Grant, Verb, Via
from vfs.call import Call
from vfs.errors import Conflict, Denied, Invalid, NotFound, QuotaReached, TooLarge
from vfs.path import Path
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName
from vfs.serve import serve

JOB, THEIRS = "/v1/code/jobs/nightly", "/v1/users/alice/code/jobs/nightly"
REPO = "/v1/users/alice/code/repos/upper"
WISH = json.dumps({"name": "mine", "copy": True})
CHAIN = "# weekly\nfetch -> .count!\nfetch <- j/fetch\n"


def copy(household: Household, who: str, path: str, wish: str = WISH) -> str:
    return str(household.call(who, Verb.RENAME, path, wish, media="application/json").value)


def item(household: Household, kind: str, owner: str, name: str) -> Item:
    found = household.world.items.find(kind, owner, name, owner)
    assert found is not None
    return found.item


def share(household: Household, kind: str, name: str, letters: str, target: str = "@bob") -> None:
    found = item(household, kind, "alice", name)
    household.world.grants.give(found.id, Grant(target, letters, f"{target}~{letters}"))


@pytest.fixture
def confided(household: Household) -> Household:
    """alice's job with everything that a job can have, which bob reads."""
    household.job("fetch", schedule="")
    household.job(schedule="0 6 * * * # every morning", chain=CHAIN)
    household.call("alice", Verb.CREATE, "/v1/code/spaces/box")
    for rel, text in (
        ("name", "Nightly"),
        ("summary", "counts"),
        ("description", "# All of it"),
        ("status", "fine"),
        ("config/env/KEY", "secret"),
        ("config/spaces", "box => /u/alice/s/box,rw"),
        ("config/options/input", "yes"),
        ("config/options/input_description", "a file"),
        ("config/access", "vis_ro"),
    ):
        household.write("alice", f"{JOB}/{rel}", text)
    share(household, "job", "nightly", "r")
    return household


def test_a_job_of_another_is_copied_without_what_it_was_confided(confided: Household) -> None:
    told = copy(confided, "bob", THEIRS)
    assert told.split("\n")[:1] == [
        "copied /v1/users/alice/code/jobs/nightly to /v1/users/bob/code/jobs/mine"
    ]
    assert "there is no job /u/alice/j/fetch, or it is not visible to you" in told
    assert "there is no repo @alice/count, or it is not visible to you" in told
    assert told.endswith('its schedule rests: write "true" to config/enabled and it acts\n')
    made = item(confided, "job", "bob", "mine")
    kept = {leaf.rel: leaf.text for leaf in confided.world.leaves.texts(made.id, "")}
    chain = "# weekly\ncount <- @alice/count\nfetch -> .count!\nfetch <- u/alice/j/fetch\n"
    assert json.loads(kept.pop("config/plan") or "") == json.loads(json.dumps(to_data(parse(chain))))
    assert kept == {
        "name": "Nightly",
        "summary": "counts",
        "description": "# All of it",
        "config/chains": chain,
        "config/schedule": "0 6 * * * # every morning",
        "config/enabled": "false",
        "config/options/input": "yes",
        "config/options/input_description": "a file",
    }
    assert confided.world.grants.on(made.id) == []
    confided.pass_minutes(60 * 25)
    assert confided.runs(made.id) == []
    confided.write("bob", "/v1/code/jobs/mine/config/enabled", "true")
    assert confided.read("bob", "/v1/code/jobs/mine/config/schedule")["enabled"]


def test_a_copy_runs_the_images_that_its_owner_may_use(household: Household) -> None:
    household.job(schedule="", chain="count")
    share(household, "job", "nightly", "r")
    copy(household, "bob", THEIRS)
    assert household.read("bob", "/v1/code/jobs/mine/config/chains") == "@alice/count"
    references, made = References(household.world), item(household, "job", "bob", "mine")
    _, refusal = order_of(references, made, RunAsk("api", "", "bob"))
    assert "@bob may not use @alice/count" in str(refusal)
    share(household, "repo", "count", "x")
    order, refusal = order_of(References(household.world), made, RunAsk("api", "", "bob"))
    assert refusal is None and order.plan is not None
    assert str(order.plan).count("image-count") == 1


def test_ones_own_copy_keeps_its_words_and_rests(confided: Household) -> None:
    told = copy(confided, "alice", JOB)
    assert told.count("\n") == 2 and "its schedule rests" in told
    assert confided.read("alice", "/v1/code/jobs/mine/config/chains") == CHAIN
    assert confided.read("alice", "/v1/code/jobs/mine/config/env") == []
    assert confided.read("alice", "/v1/code/jobs/mine/config/spaces") == ""


def test_a_job_without_chain_and_schedule_is_copied_too(household: Household) -> None:
    household.call("alice", Verb.CREATE, JOB)
    assert copy(household, "alice", JOB) == f"copied {JOB} to /v1/code/jobs/mine\n"


def test_a_copy_that_would_run_itself_is_refused(household: Household) -> None:
    household.job(schedule="", chain="/u/bob/j/mine")
    share(household, "job", "nightly", "r")
    with pytest.raises(Invalid, match="/u/bob/j/mine"):
        copy(household, "bob", THEIRS)
    assert household.world.items.find("job", "bob", "mine", "bob") is None


@pytest.mark.parametrize(("letters", "refusal"), [("x", Denied), ("w", Denied), ("", NotFound)])
def test_who_does_not_read_a_job_does_not_copy_it(
    household: Household, letters: str, refusal: type[Exception]
) -> None:
    household.job()
    if letters:
        share(household, "job", "nightly", letters)
    with pytest.raises(refusal):
        copy(household, "bob", THEIRS)


@pytest.mark.parametrize("via", [Via.RUN, Via.APPLICATION])
def test_a_narrowed_credential_makes_no_job_of_another(household: Household, via: Via) -> None:
    household.job()
    share(household, "job", "nightly", "r")
    claim = Claim("all", {"job": EVERYTHING})
    for who, path in (("bob", THEIRS), ("alice", JOB)):
        sent = Sent(WISH.encode(), "application/json")
        with pytest.raises(Denied):
            serve(TREE, Call(Verb.RENAME, Path.parse(path), Caller(who, via, claim), household.world, sent))


class Pushed(Work):
    """A working copy that knows what it pushed, and what it took away again."""

    gone = first = second = hidden = ""


@pytest.fixture
def pushed(household: Household, tmp_path: Folder) -> Pushed:
    """alice's repo with two branches, a tag, a hidden reference and a commit that was forced away."""
    household.call("alice", Verb.CREATE, "/v1/code/repos/upper")
    household.write("alice", "/v1/code/repos/upper/summary", "makes letters large")
    repo = item(household, "repo", "alice", "upper")
    repositories = household.house.repositories
    work = Pushed(tmp_path / "work", repositories.path(repo.id))
    work.gone = work.commit({"a": "gone"})
    work.push("main:trunk")
    work.git("checkout", "-q", "--orphan", "anew")
    work.first = work.commit({"Dockerfile": "FROM scratch"})
    work.push("--force", "anew:trunk", "anew:refs/tags/v1")
    work.second = work.commit({"b": "2"})
    work.push("anew:dev/x")
    work.hidden = work.commit({"c": "3"})
    work.push("anew:refs/hidden/x")
    repositories.settle_head(repo.id, ["trunk"])
    repositories.git.run(repositories.path(repo.id), "symbolic-ref", "HEAD", "refs/heads/trunk")
    return work


def test_a_repo_is_forked_with_its_branches_and_tags_alone(household: Household, pushed: Pushed) -> None:
    share(household, "repo", "upper", "r")
    told = copy(household, "bob", REPO)
    fork, repositories = item(household, "repo", "bob", "mine"), household.house.repositories
    source = item(household, "repo", "alice", "upper")
    assert repositories.refs(fork.id) == repositories.refs(source.id)
    assert repositories.head(fork.id) == "trunk"
    assert {label: ref.commit for label, ref in repositories.labels(fork.id).items()} == {
        "trunk": pushed.first,
        "v1": pushed.first,
        "latest": pushed.first,
        "dev-x": pushed.second,
    }
    for sha in (pushed.gone, pushed.hidden):
        assert repositories.commit(source.id, sha) is not None
        assert repositories.commit(fork.id, sha) is None
    config = (repositories.path(fork.id) / "config").read_text()
    assert "remote" not in config and str(repositories.folder) not in config
    assert not list(repositories.folder.glob(".fork-*"))
    assert household.read("bob", "/v1/code/repos/mine/summary") == "makes letters large"
    assert told.split("\n")[1:] == ["building mine: trunk, dev-x; its log tells how it goes", ""]
    builds = household.world.code.builds
    first, second = builds.take("w"), builds.take("w")
    assert first is not None and second is not None
    assert (first.labels, first.ref, first.by, first.repo) == (
        ("trunk", "v1", "latest"),
        "refs/heads/trunk",
        "bob",
        fork.id,
    )
    assert (second.labels, second.ref) == (("dev-x",), "refs/heads/dev/x")
    assert household.world.service.quotas.one("bob", QuotaName.STORAGE).use >= repositories.size(fork.id)


def test_a_fork_is_another_repo(household: Household, pushed: Pushed) -> None:
    copy(household, "alice", "/v1/code/repos/upper")
    fork, repositories = item(household, "repo", "alice", "mine"), household.house.repositories
    household.call("alice", Verb.REMOVE, "/v1/code/repos/upper")
    assert set(repositories.labels(fork.id)) == {"trunk", "v1", "latest", "dev-x"}


def test_an_empty_repo_and_one_of_code_are_forked_without_builds(
    household: Household, pushed: Pushed
) -> None:
    household.write("alice", "/v1/code/repos/upper/config/type", "code")
    household.call("alice", Verb.CREATE, "/v1/code/repos/none")
    for name in ("upper", "none"):
        told = copy(
            household, "alice", f"/v1/code/repos/{name}", json.dumps({"name": f"{name}-2", "copy": True})
        )
        assert told.count("\n") == 1
        assert household.call("alice", Verb.READ, f"/v1/code/repos/{name}-2/status").value == (
            "ready" if name == "upper" else "empty"
        )
    assert household.read("alice", "/v1/code/repos/upper-2/config/type") == "code"


def test_a_fork_that_has_no_room_leaves_nothing(household: Household, pushed: Pushed) -> None:
    share(household, "repo", "upper", "r")
    quotas, repositories = household.world.service.quotas, household.house.repositories
    before = {path.name for path in repositories.folder.iterdir()}
    quotas.set("bob", {QuotaName.STORAGE: 100})
    with pytest.raises(TooLarge, match="has room for"):
        copy(household, "bob", REPO)
    quotas.set("bob", {QuotaName.STORAGE: None, QuotaName.REPOS: 0})
    with pytest.raises(QuotaReached):
        copy(household, "bob", REPO)
    quotas.set("bob", {QuotaName.REPOS: None})
    household.call("bob", Verb.CREATE, "/v1/code/repos/mine")
    with pytest.raises(Conflict, match="is taken"):
        copy(household, "bob", REPO)
    mine = item(household, "repo", "bob", "mine")
    assert {path.name for path in repositories.folder.iterdir()} == before | {f"{mine.id}.git"}


def test_only_so_many_builds_are_queued(household: Household, pushed: Pushed) -> None:
    household.world.service.quotas.set("alice", {QuotaName.BUILDS: 1})
    told = copy(household, "alice", "/v1/code/repos/upper")
    assert "building mine: trunk; its log" in told
    assert "1 more commits of branches and tags are built when they are pushed" in told
    assert MOST_BUILDS > 1 and labels([], None) == {}


@pytest.mark.parametrize(("letters", "refusal"), [("x", Denied), ("w", Denied), ("", NotFound)])
def test_who_does_not_read_a_repo_does_not_fork_it(
    household: Household, pushed: Pushed, letters: str, refusal: type[Exception]
) -> None:
    if letters:
        share(household, "repo", "upper", letters)
    before = set(household.house.repositories.folder.iterdir())
    with pytest.raises(refusal):
        copy(household, "bob", REPO)
    assert set(household.house.repositories.folder.iterdir()) == before
