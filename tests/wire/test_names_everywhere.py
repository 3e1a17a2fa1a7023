"""Whatever name a file may have, it comes back byte for byte from every place that it passes."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chains.files.names import DEEPEST, LONGEST_NAME, refusal
from handlers.trees.code.run_files import LARGEST_INDEX
from tests.kit.client import Answer
from tests.kit.file_trees import FAMILY, NASTY, PERSIAN, SCREENSHOT, file_trees
from tests.kit.service import Application

Tree = Mapping[str, bytes]
CODE = "/v1/code"
FORM = "multipart/form-data; boundary=line"
KEEP = f"{CODE}/spaces/keep/content"

CHAINS = {
    "straight": "a <- copies\nb <- copies\na -> b",
    "join": "a <- copies\nb <- copies\nc <- copies\na -> c\nb -> c",
    "fan": ".copies",
    "hold": "!copies",
    "two": "a <- copies\nb <- copies\nc <- copies\nd <- copies\na -> !c\nb -> !c\nc -> d",
    "composed": "a <- copies\nsub <- /j/straight\na -> sub",
    "store": "stores",
    "nothing": "nothing",
    "show": "shows",
}


class Desk:
    """alice's jobs that hand on what they are sent, each by another way."""

    def __init__(self, service: Application) -> None:
        self.token = service.user("alice")
        self.service = service
        for repo, script in {
            "copies": "COPY=",
            "stores": "STORE=",
            "shows": "SHOW=",
            "nothing": "EXIT=0",
        }.items():
            service.arrange("image", [f"alice/{repo}", script], [])
        assert self.ask("PUT", f"{CODE}/spaces/keep").status == 201
        for job, chain in CHAINS.items():
            assert self.ask("PUT", f"{CODE}/jobs/{job}").status == 201
            assert self.ask("POST", f"{CODE}/jobs/{job}/config/chains", chain.encode()).status == 200, chain
        for job, mode in {"store": "rw", "nothing": "rw", "show": "ro"}.items():
            spaces = f"k => /u/alice/s/keep,{mode}".encode()
            assert self.ask("POST", f"{CODE}/jobs/{job}/config/spaces", spaces).status == 200

    def ask(
        self, method: str, path: str, body: bytes = b"", media: str = "text/plain", accept: str = "*/*"
    ) -> Answer:
        headers = [("Authorization", f"Bearer {self.token}"), ("Accept", accept)]
        return self.service.call(method, path, [*headers, ("Content-Type", media)] if body else headers, body)

    def trigger(self, job: str, tree: Tree, status: int = 200) -> Answer:
        answer = self.ask("POST", f"{CODE}/jobs/{job}/data", form(tree), FORM)
        assert answer.status == status, answer.body
        return answer

    def rows(self, path: str) -> list[Any]:
        answer = self.ask("GET", path, accept="application/json")
        assert answer.status == 200, answer.body
        rows: list[Any] = json.loads(answer.body)
        return rows

    def listed(self, path: str, below: str = "") -> dict[str, bytes]:
        """The files below a folder, each found and read by the address that its listing tells."""
        found: dict[str, bytes] = {}
        for row in self.rows(path):
            if row["type"] == "dir":
                found |= self.listed(row["uri"], f"{below}{row['name']}/")
            else:
                answer = self.ask("GET", row["uri"])
                assert answer.status == 200, answer.body
                found[below + row["name"]] = answer.body
        return found

    def hold(self, answer: Answer) -> tuple[str, str]:
        """The run that waits, and the content of its space."""
        facts = json.loads(answer.body)
        return answer.headers["location"], f"{CODE}/spaces/{facts['space'].rpartition('/')[2]}/content"

    def go_on(self, run: str) -> Answer:
        """The result of a run that is continued."""
        assert self.ask("POST", f"{run}/hold", b"continue").status == 202
        reader, id = self.service.world.code.runs.reader, run.rpartition("/")[2]
        jobs = [self.service.item("job", f"alice/{job}").id for job in ("hold", "two")]
        found = next(one for job in jobs if (one := reader.get(job, id)))
        self.service.world.code.runs.waits.wait(found.key, lambda status: status.ended, 60)
        return self.ask("GET", f"{run}/output")


def form(tree: Tree) -> bytes:
    """A form that brings files."""
    head = "--line\r\nContent-Disposition: form-data; name=\"file\"; filename*=UTF-8''{}\r\n\r\n"
    parts = [head.format(quote(name, safe="")).encode() + body + b"\r\n" for name, body in tree.items()]
    return b"".join(parts) + b"--line--\r\n"


def result(answer: Answer, count: int) -> dict[str, bytes]:
    """The files of a result: those in its zip, or the only one, by the name that its header tells."""
    if count > 1:
        with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    return {answer.headers["content-disposition"].partition("filename*=UTF-8''")[2]: answer.body}


def results(tree: Tree) -> dict[str, bytes]:
    """What the result of a tree handed on as it is holds."""
    if len(tree) > 1:
        return dict(tree)
    return {quote(path.rpartition("/")[2], safe=""): body for path, body in tree.items()}


def labelled(tree: Tree, *labels: str) -> dict[str, bytes]:
    return {f"{label}/{path}": body for label in labels for path, body in tree.items()}


@pytest.fixture
def desk(service: Application) -> Desk:
    return Desk(service)


def pass_through_chains(desk: Desk, tree: Tree) -> None:
    for job in ("straight", "fan", "composed"):
        answer = desk.trigger(job, tree)
        run = answer.headers["location"]
        assert result(answer, len(tree)) == results(tree), job
        assert desk.listed(f"{run}/inputs") == tree
        alone = {path.rpartition("/")[2]: content for path, content in tree.items()}
        assert desk.listed(f"{run}/outputs") == (tree if len(tree) > 1 else alone)
    assert result(desk.ask("POST", f"{run}/rerun"), len(tree)) == results(tree)


def pass_through_holds(desk: Desk, tree: Tree) -> None:
    run, space = desk.hold(desk.trigger("hold", tree, 202))
    assert desk.listed(space) == tree
    assert result(desk.go_on(run), len(tree)) == results(tree)
    shallow = {path: content for path, content in tree.items() if refusal(f"a/{path}") is None}
    run, space = desk.hold(desk.trigger("two", tree, 202))
    assert desk.listed(space) == labelled(tree, "a", "b")
    for path in tree.keys() - shallow.keys():
        for label in ("a", "b"):
            assert desk.ask("DELETE", f"{space}/{label}/{quote(path)}").status == 200
    if shallow:
        assert result(desk.go_on(run), 2) == labelled(shallow, "a", "b")
        assert result(desk.trigger("join", shallow), 2) == labelled(shallow, "a", "b")


def pass_through_spaces(desk: Desk, tree: Tree) -> None:
    assert desk.ask("DELETE", f"{KEEP}?recursive=true").status == 200
    desk.trigger("store", tree, 204)
    assert desk.listed(KEEP) == tree
    for job in ("nothing", "store"):
        before = desk.ask("GET", f"{CODE}/spaces/keep/changes").body
        desk.trigger(job, tree, 204)
        assert desk.ask("GET", f"{CODE}/spaces/keep/changes").body == before
    shallow = {path: content for path, content in tree.items() if refusal(f"k/{path}") is None}
    for path in tree.keys() - shallow.keys():
        assert desk.ask("DELETE", f"{KEEP}/{quote(path)}").status == 200
    if shallow:
        answer = desk.trigger("show", {"one": b""})
        assert result(answer, len(shallow)) == (
            labelled(shallow, "k") if len(shallow) > 1 else results(labelled(shallow, "k"))
        )
    assert desk.ask("DELETE", f"{KEEP}?recursive=true").status == 200
    for path, content in tree.items():
        assert desk.ask("PUT", f"{KEEP}/{quote(path)}", content or b"x").status == 201, path
    desk.trigger("nothing", tree, 204)
    assert desk.listed(KEEP) == {path: content or b"x" for path, content in tree.items()}


PASSAGES = (pass_through_chains, pass_through_holds, pass_through_spaces)


@pytest.mark.parametrize("passage", PASSAGES)
def test_names_of_peoples_machines_come_back(desk: Desk, passage: Any) -> None:
    passage(desk, NASTY)
    passage(desk, {SCREENSHOT: b"alone"})


@given(passage=st.sampled_from(PASSAGES), tree=file_trees())
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_admitted_tree_comes_back(desk: Desk, passage: Any, tree: Tree) -> None:
    passage(desk, tree)


DEEP = "d/" * DEEPEST + PERSIAN


@pytest.mark.parametrize(
    "path,why",
    [
        (DEEP, "at most 64 levels, and this one 65"),
        ("x" * (LONGEST_NAME + 1), "at most 255 bytes"),
        ("\u00e9/" * 60 + FAMILY * 90, "at most 255 bytes"),
        ("a\\b", "no backslash"),
        ("a\x7f", "no control character"),
        ("a/../b", "in full"),
    ],
)
def test_what_may_be_no_name_comes_in_nowhere(desk: Desk, path: str, why: str) -> None:
    answer = desk.trigger("straight", {"good": b"", path: b""}, 400)
    assert why in json.loads(answer.body)["detail"]
    assert desk.rows(f"{CODE}/jobs/straight/runs") == []
    answer = desk.ask("PUT", f"{KEEP}/{quote(path)}", b"x")
    assert answer.status == 400
    assert desk.rows(KEEP) == []


def test_a_step_that_leaves_what_may_be_no_name_fails_by_it(desk: Desk) -> None:
    tree = {"d/" * (DEEPEST - 1) + PERSIAN: b"1"}
    answer = desk.trigger("join", tree, 422)
    said = json.loads(answer.body)["detail"]
    assert "c: it left /output/a/d/d/" in said
    assert said.endswith(
        f"which cannot be stored: a path has at most {DEEPEST} levels, and this one 65: go less deep"
    )
    desk.trigger("store", tree, 204)
    desk.trigger("show", tree, 422)
    assert desk.listed(KEEP) == tree


def test_nothing_of_a_step_that_writes_a_bad_name_into_a_space_is_written_back(desk: Desk) -> None:
    desk.trigger("store", NASTY, 204)
    for path, why in {
        "a\\b": "no backslash",
        "line\u0007break": "no control character",
        "d/" * DEEPEST + "x": "at most 64 levels, and this one 65",
        "e/" * (DEEPEST + 9) + "x": "at most 64 levels, and this one 66",
    }.items():
        desk.service.arrange("image", ["alice/nothing", f"WRITE=/mnt/k/good=1;/mnt/k/{path}=2"], [])
        answer = desk.trigger("nothing", {"in": b""}, 422)
        said = json.loads(answer.body)["detail"]
        assert f"nothing: it left /mnt/k/{path[:1]}" in said
        assert why in said
        assert desk.listed(KEEP) == NASTY


def test_a_link_in_the_place_of_a_file_is_no_deletion(desk: Desk) -> None:
    tree = {SCREENSHOT: b"1", "d/in": b"2", "d/e": b"3"}
    desk.trigger("store", tree, 204)
    for path in (SCREENSHOT, "d/in"):
        desk.service.arrange("image", ["alice/nothing", "WRITE=/mnt/k/new=1", f"LINK=/mnt/k/{path}"], [])
        answer = desk.trigger("nothing", {"in": b""}, 422)
        assert "where the space has something, and it is a link" in json.loads(answer.body)["detail"]
        assert desk.listed(KEEP) == tree
    desk.service.arrange("image", ["alice/nothing", "LINK=/mnt/k/d/link", "WRITE=/mnt/k/new=1"], [])
    run = desk.trigger("nothing", {"in": b""}, 204).headers["location"]
    assert "nothing: dropped d/link from /mnt/k: it is a link" in desk.ask("GET", f"{run}/log").body.decode()
    assert desk.listed(KEEP) == {**tree, "new": b"1"}


def test_an_input_with_too_long_an_index_is_kept_as_one(desk: Desk) -> None:
    folder = ("x" * 240 + "/") * 8
    tree = {f"{folder}{number}": b"" for number in range(LARGEST_INDEX // len(folder))}
    run = desk.trigger("store", tree, 204).headers["location"]
    assert [row["name"] for row in desk.rows(f"{run}/inputs")] == ["input.zip"]
    assert result(desk.ask("GET", f"{run}/inputs/input.zip"), 2) == tree
    assert {row["name"] for row in desk.rows(f"{KEEP}/{folder}")} == {path[len(folder) :] for path in tree}
