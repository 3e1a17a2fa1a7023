"""Copies of jobs and repositories: what they do, for anyone who reads them, and nothing that they keep."""

from __future__ import annotations

import json
from pathlib import Path as Folder

import pytest

from chains.builds.repositories import labels
from chains.language.ast import to_data
from chains.language.chain import parse
from handlers.services.references import References
from handlers.services.runs.run_trigger import RunRequest, order_of
from handlers.trees.code.repo_builds import MOST_AT_ONCE
from tests.handlers.service_world import TREE, ServiceWorld
from tests.handlers.trees.tree_world import Sent
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
SENT = json.dumps({"name": "mine", "copy": True})
CHAIN = "# weekly\nfetch -> .count!\nfetch <- j/fetch\n"


def copy(service_world: ServiceWorld, who: str, path: str, sent: str = SENT) -> str:
    return str(service_world.call(who, Verb.RENAME, path, sent, media="application/json").value)


def item(service_world: ServiceWorld, kind: str, owner: str, name: str) -> Item:
    found = service_world.world.items.find(kind, owner, name, owner)
    assert found is not None
    return found.item


def share(service_world: ServiceWorld, kind: str, name: str, letters: str, target: str = "@bob") -> None:
    found = item(service_world, kind, "alice", name)
    service_world.world.grants.give(found.id, Grant(target, letters, f"{target}~{letters}"))


@pytest.fixture
def confided(service_world: ServiceWorld) -> ServiceWorld:
    """alice's job with everything that a job can have, which bob reads."""
    service_world.job("fetch", schedule="")
    service_world.job(schedule="0 6 * * * # every morning", chain=CHAIN)
    service_world.call("alice", Verb.CREATE, "/v1/code/spaces/box")
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
        service_world.write("alice", f"{JOB}/{rel}", text)
    share(service_world, "job", "nightly", "r")
    return service_world


def test_a_job_of_another_is_copied_without_what_it_was_confided(confided: ServiceWorld) -> None:
    answer = copy(confided, "bob", THEIRS)
    assert answer.split("\n")[:1] == [
        "copied /v1/users/alice/code/jobs/nightly to /v1/users/bob/code/jobs/mine"
    ]
    assert "there is no job /u/alice/j/fetch, or it is not visible to you" in answer
    assert "there is no repo @alice/count, or it is not visible to you" in answer
    assert answer.endswith('its schedule rests: write "true" to config/enabled and it acts\n')
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


def test_a_copy_runs_the_images_that_its_owner_may_use(service_world: ServiceWorld) -> None:
    service_world.job(schedule="", chain="count")
    share(service_world, "job", "nightly", "r")
    copy(service_world, "bob", THEIRS)
    assert service_world.read("bob", "/v1/code/jobs/mine/config/chains") == "@alice/count"
    references, made = References(service_world.world), item(service_world, "job", "bob", "mine")
    _, refusal = order_of(references, made, RunRequest("api", "", "bob"))
    assert "@bob may not use @alice/count" in str(refusal)
    share(service_world, "repo", "count", "x")
    order, refusal = order_of(References(service_world.world), made, RunRequest("api", "", "bob"))
    assert refusal is None and order.plan is not None
    assert str(order.plan).count("image-count") == 1


def test_a_copy_of_one_s_own_job_keeps_its_chain_and_its_schedule_rests(confided: ServiceWorld) -> None:
    answer = copy(confided, "alice", JOB)
    assert answer.count("\n") == 2 and "its schedule rests" in answer
    assert confided.read("alice", "/v1/code/jobs/mine/config/chains") == CHAIN
    assert confided.read("alice", "/v1/code/jobs/mine/config/env") == []
    assert confided.read("alice", "/v1/code/jobs/mine/config/spaces") == ""


def test_a_job_without_chain_and_schedule_is_copied_too(service_world: ServiceWorld) -> None:
    service_world.call("alice", Verb.CREATE, JOB)
    assert copy(service_world, "alice", JOB) == f"copied {JOB} to /v1/code/jobs/mine\n"


def test_a_copy_that_would_run_itself_is_refused(service_world: ServiceWorld) -> None:
    service_world.job(schedule="", chain="/u/bob/j/mine")
    share(service_world, "job", "nightly", "r")
    with pytest.raises(Invalid, match="/u/bob/j/mine"):
        copy(service_world, "bob", THEIRS)
    assert service_world.world.items.find("job", "bob", "mine", "bob") is None


@pytest.mark.parametrize(("letters", "refusal"), [("x", Denied), ("w", Denied), ("", NotFound)])
def test_a_job_is_copied_only_by_those_who_read_it(
    service_world: ServiceWorld, letters: str, refusal: type[Exception]
) -> None:
    service_world.job()
    if letters:
        share(service_world, "job", "nightly", letters)
    with pytest.raises(refusal):
        copy(service_world, "bob", THEIRS)


@pytest.mark.parametrize("via", [Via.RUN, Via.APPLICATION])
def test_a_narrowed_credential_makes_no_job_of_another(service_world: ServiceWorld, via: Via) -> None:
    service_world.job()
    share(service_world, "job", "nightly", "r")
    claim = Claim("all", {"job": EVERYTHING})
    for who, path in (("bob", THEIRS), ("alice", JOB)):
        sent = Sent(SENT.encode(), "application/json")
        with pytest.raises(Denied):
            serve(
                TREE, Call(Verb.RENAME, Path.parse(path), Caller(who, via, claim), service_world.world, sent)
            )


class Pushed(Work):
    """A working copy that knows what it pushed, and what it took away again."""

    gone = first = second = hidden = ""


@pytest.fixture
def pushed(service_world: ServiceWorld, tmp_path: Folder) -> Pushed:
    """alice's repo with two branches, a tag, a hidden reference and a commit that was forced away."""
    service_world.call("alice", Verb.CREATE, "/v1/code/repos/upper")
    service_world.write("alice", "/v1/code/repos/upper/summary", "makes letters large")
    repo = item(service_world, "repo", "alice", "upper")
    repositories = service_world.live_world.repositories
    work = Pushed(tmp_path / "work", repositories.path(repo.id))
    work.gone = work.commit({"a": "gone"})
    work.push("main:trunk")
    work.git("checkout", "-q", "--orphan", "fresh")
    work.first = work.commit({"Dockerfile": "FROM scratch"})
    work.push("--force", "fresh:trunk", "fresh:refs/tags/v1")
    work.second = work.commit({"b": "2"})
    work.push("fresh:dev/x")
    work.hidden = work.commit({"c": "3"})
    work.push("fresh:refs/hidden/x")
    repositories.settle_head(repo.id, ["trunk"])
    repositories.git.run(repositories.path(repo.id), "symbolic-ref", "HEAD", "refs/heads/trunk")
    return work


def test_a_repo_is_forked_with_its_branches_and_tags_alone(
    service_world: ServiceWorld, pushed: Pushed
) -> None:
    share(service_world, "repo", "upper", "r")
    answer = copy(service_world, "bob", REPO)
    fork, repositories = item(service_world, "repo", "bob", "mine"), service_world.live_world.repositories
    source = item(service_world, "repo", "alice", "upper")
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
    assert service_world.read("bob", "/v1/code/repos/mine/summary") == "makes letters large"
    assert answer.split("\n")[1:] == ["building mine: trunk, dev-x; see its log", ""]
    builds = service_world.world.code.builds
    first, second = builds.take("w"), builds.take("w")
    assert first is not None and second is not None
    assert (first.labels, first.ref, first.by, first.repo) == (
        ("trunk", "v1", "latest"),
        "refs/heads/trunk",
        "bob",
        fork.id,
    )
    assert (second.labels, second.ref) == (("dev-x",), "refs/heads/dev/x")
    assert service_world.world.service.quotas.one("bob", QuotaName.STORAGE).use >= repositories.size(fork.id)


def test_a_fork_is_another_repo(service_world: ServiceWorld, pushed: Pushed) -> None:
    copy(service_world, "alice", "/v1/code/repos/upper")
    fork, repositories = item(service_world, "repo", "alice", "mine"), service_world.live_world.repositories
    service_world.call("alice", Verb.REMOVE, "/v1/code/repos/upper")
    assert set(repositories.labels(fork.id)) == {"trunk", "v1", "latest", "dev-x"}


def test_an_empty_repo_and_one_of_code_are_forked_without_builds(
    service_world: ServiceWorld, pushed: Pushed
) -> None:
    service_world.write("alice", "/v1/code/repos/upper/config/type", "code")
    service_world.call("alice", Verb.CREATE, "/v1/code/repos/none")
    for name in ("upper", "none"):
        answer = copy(
            service_world, "alice", f"/v1/code/repos/{name}", json.dumps({"name": f"{name}-2", "copy": True})
        )
        assert answer.count("\n") == 1
        assert service_world.call("alice", Verb.READ, f"/v1/code/repos/{name}-2/status").value == (
            "ready" if name == "upper" else "empty"
        )
    assert service_world.read("alice", "/v1/code/repos/upper-2/config/type") == "code"


def test_a_fork_that_has_no_room_leaves_nothing(service_world: ServiceWorld, pushed: Pushed) -> None:
    share(service_world, "repo", "upper", "r")
    quotas, repositories = service_world.world.service.quotas, service_world.live_world.repositories
    before = {path.name for path in repositories.folder.iterdir()}
    quotas.set("bob", {QuotaName.STORAGE: 100})
    with pytest.raises(TooLarge, match="has room for"):
        copy(service_world, "bob", REPO)
    quotas.set("bob", {QuotaName.STORAGE: None, QuotaName.REPOS: 0})
    with pytest.raises(QuotaReached):
        copy(service_world, "bob", REPO)
    quotas.set("bob", {QuotaName.REPOS: None})
    service_world.call("bob", Verb.CREATE, "/v1/code/repos/mine")
    with pytest.raises(Conflict, match="is taken"):
        copy(service_world, "bob", REPO)
    mine = item(service_world, "repo", "bob", "mine")
    assert {path.name for path in repositories.folder.iterdir()} == before | {f"{mine.id}.git"}


def test_queued_builds_are_limited(service_world: ServiceWorld, pushed: Pushed) -> None:
    service_world.world.service.quotas.set("alice", {QuotaName.BUILDS: 1})
    answer = copy(service_world, "alice", "/v1/code/repos/upper")
    assert "building mine: trunk; see its log" in answer
    assert "1 more commits of branches and tags are built when they are pushed" in answer
    assert MOST_AT_ONCE > 1 and labels([], None) == {}


@pytest.mark.parametrize(("letters", "refusal"), [("x", Denied), ("w", Denied), ("", NotFound)])
def test_a_repo_is_forked_only_by_those_who_read_it(
    service_world: ServiceWorld, pushed: Pushed, letters: str, refusal: type[Exception]
) -> None:
    if letters:
        share(service_world, "repo", "upper", letters)
    before = set(service_world.live_world.repositories.folder.iterdir())
    with pytest.raises(refusal):
        copy(service_world, "bob", REPO)
    assert set(service_world.live_world.repositories.folder.iterdir()) == before
