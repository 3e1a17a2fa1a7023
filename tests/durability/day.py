"""A scripted day: documents, files, pushes, commits, jobs and their runs, and what was promised of them."""

from __future__ import annotations

import base64
import json
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.durability.actions import BOUNDARY, MULTIPART
from tests.durability.acts import Picture, next_act
from tests.durability.faulty_server import REFUSALS
from tests.durability.writer import Writer, _facts
from tests.kit.client import Answer
from tests.kit.git import Work
from tests.kit.gunicorn import PASSWORD, PATIENCE, Client

REF = re.compile(rb"([0-9a-f]{40}) (refs/[!-~]+)")
TEXT, JSON = "text/plain", "application/json"
IMAGE = "FROM scratch\nENV COPY=seen\n"
ENDED = (b"error", b"canceled", b"cancelled", b"failed")
ANY = b"*"
"""Whatever is there."""
RECENT = 12
"""Most runs that are remembered."""


@dataclass(frozen=True, slots=True)
class Known:
    """What must be there after an operation: a writer's picture; answers by path (None: absent), and refs."""

    picture: Picture = field(default_factory=Picture)
    bodies: Mapping[str, bytes | None] = field(default_factory=dict)
    refs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def with_bodies(self, **bodies: bytes | None) -> Known:
        """The same with other answers."""
        kept = {**self.bodies, **bodies}
        for path in [path for path in kept if "/runs/" in path][: -2 * RECENT]:
            del kept[path]
        return replace(self, bodies=kept)

    def with_refs(self, repo: str, refs: Mapping[str, str] | None) -> Known:
        """The same with other refs of a repo, or without it."""
        others = {name: kept for name, kept in self.refs.items() if name != repo}
        return replace(self, refs=others if refs is None else {**others, repo: refs})


Act = Callable[[Known], Known]


class Refused(Exception):
    """An operation was refused, and says so."""


class Day:
    """Does one operation after the other; `known` has what was promised after each of them."""

    def __init__(
        self, writer: Writer, client: Client, port: int, scratch: Path, dice: random.Random,
        report: Callable[[int], object] = lambda number: None,
    ) -> None:  # fmt: skip
        """`report` is called with the number of all that is known when something was promised."""
        self.known = [Known()]
        self._report = report
        self._writer, self._client, self._dice = writer, client, dice
        self._address = f"http://{writer.user}:{writer.token}@127.0.0.1:{port}/git/{writer.user}"
        self._work = Work(scratch)
        self._number = 0
        self.next: Known = self.known[-1]

    def begin(self) -> None:
        """Make what every day needs: a repo whose image copies files, a job of it, and a space."""
        self._want("PUT", "/v1/code/repos/tool")
        self._work.commit({"Containerfile": IMAGE})
        self._git("tool", "HEAD:refs/heads/main")
        self._want("PUT", "/v1/code/jobs/job")
        self._want("POST", "/v1/code/jobs/job/config/chains", b"tool", TEXT)
        self._want("PUT", "/v1/code/spaces/field")
        self._promise(Known().with_refs("tool", {"refs/heads/main": self._work.git("rev-parse", "HEAD")}))

    def pick(self) -> Act:
        """Return an operation that can be done now."""
        return self._dice.choice([act for act, fits in self.acts() for _ in range(fits(self.known[-1]))])

    def do(self, act: Act) -> None:
        """Do one more operation. Raises Refused."""
        self._client.close()  # the server closes what is idle while git works
        self._number += 1
        self.next = self.known[-1]
        self._promise(act(self.known[-1]))

    def go_on(self) -> None:
        """Find out what a refused operation has done: all of it, or nothing."""
        self._client.close()
        now, later = self.known[-1], self.next
        if wrong := differences(self._writer, self._client, now, later):
            raise AssertionError(wrong)
        self._writer.compare()
        bodies = {path: body for path, body in later.bodies.items() if self._holds(path, body)}
        refs = {repo: found for repo in later.refs.keys() | now.refs.keys()
                if (found := refs_of(self._writer, self._client, repo)) is not None}  # fmt: skip
        self._promise(Known(self._writer.picture, {**now.bodies, **bodies}, refs))

    def _holds(self, path: str, body: bytes | None) -> bool:
        answer = self._client.call("GET", path)
        return body in (ANY, answer.body) and answer.status < 300

    def _promise(self, known: Known) -> None:
        self.known.append(known)
        self._report(len(self.known) - 1)

    def acts(self) -> list[tuple[Act, Callable[[Known], int]]]:
        """Return all operations, each with how likely it is now: 0 if it cannot be done."""
        return [
            (self.write, lambda now: 24),
            (self.put_file, lambda now: 4),
            (self.sign_up, lambda now: 1),
            (self.make_repo, lambda now: 2 * (len(now.refs) < 3)),
            (self.remove_repo, lambda now: len(now.refs) > 2),
            (self.push, lambda now: 6),
            (self.drop_branch, lambda now: 2 * any(len(refs) > 1 for refs in now.refs.values())),
            (self.commit, lambda now: 2),
            (self.run, lambda now: 2),
        ]

    def write(self, now: Known) -> Known:
        """What a writer of documents does."""
        act = next_act(self._dice, self._writer.user, self._writer.picture)
        self.next = replace(now, picture=act.after)
        self._good(self._writer.attempt(self._client, act))
        return replace(now, picture=self._writer.picture)

    def put_file(self, now: Known) -> Known:
        """Write a file of a space."""
        path = f"/v1/code/spaces/field/content/f{self._dice.randrange(5)}/x.bin"
        content = self._dice.randbytes(self._dice.choice((10, 20_000)))
        self.next = now.with_bodies(**{path: content})
        self._want(
            "PUT" if now.bodies.get(path) is None else "POST", path, content, "application/octet-stream"
        )
        return self.next

    def sign_up(self, now: Known) -> Known:
        """Make an account."""
        name = f"bird-{self._number}"
        self.next = now.with_bodies(**{f"/v1/users/{name}/profile": ANY})
        wanted = {"username": name, "password": PASSWORD, "email": f"{name}@birds.example", "public": True}
        self._want("POST", "/v1/register", json.dumps(wanted).encode(), JSON)
        return self.next

    def make_repo(self, now: Known) -> Known:
        """Make a repository."""
        self.next = now.with_refs(f"repo-{self._number}", {})
        self._want("PUT", f"/v1/code/repos/repo-{self._number}")
        self._want("POST", f"/v1/code/repos/repo-{self._number}/config/type", b"code", TEXT)
        return self.next

    def remove_repo(self, now: Known) -> Known:
        """Remove one."""
        name = self._dice.choice([name for name in now.refs if name != "tool"])
        self.next = now.with_refs(name, None)
        self._want("DELETE", f"/v1/code/repos/{name}")
        return self.next

    def push(self, now: Known) -> Known:
        """Push a commit to a branch, or a tag."""
        name = self._dice.choice(sorted(now.refs))
        ref = self._dice.choice(
            ("refs/heads/main", "refs/heads/main", "refs/heads/side/b", f"refs/tags/v{self._number}")
        )
        self._work.git("checkout", "-q", "--detach", now.refs[name].get(ref) or "main")
        commit = self._work.commit({f"file-{self._number % 7}": self._dice.randbytes(300).hex()})
        self.next = now.with_refs(name, {**now.refs[name], ref: commit})
        self._git(name, f"HEAD:{ref}")
        return self.next

    def drop_branch(self, now: Known) -> Known:
        """Remove a branch or a tag."""
        name = self._dice.choice([name for name, refs in now.refs.items() if len(refs) > 1])
        ref = self._dice.choice(
            [ref for ref in now.refs[name] if ref != "refs/heads/main"] or ["refs/heads/main"]
        )
        self.next = now.with_refs(
            name, {other: kept for other, kept in now.refs[name].items() if other != ref}
        )
        self._git(name, f":{ref}")
        return self.next

    def commit(self, now: Known) -> Known:
        """Commit a file through the API."""
        change = {"path": "api.txt", "text": f"{self._number}\n"}
        sent = json.dumps({"message": "Change", "branch": "main", "changes": [change]}).encode()
        self.next = now.with_refs("tool", {**now.refs["tool"], "refs/heads/main": "?"})
        made = json.loads(self._want("POST", "/v1/code/repos/tool/commit", sent, JSON, Accept=JSON).body)
        self._work.git("fetch", "-q", f"{self._address}/tool.git", "main")
        return now.with_refs("tool", {**now.refs["tool"], "refs/heads/main": made["commit"]})

    def run(self, now: Known) -> Known:
        """Trigger a run with a file, and wait for its output."""
        content = self._dice.randbytes(500).hex()
        head = 'Content-Disposition: form-data; name="file"; filename="in/{}.txt"'
        body = "".join(f"--{BOUNDARY}\r\n{head.format(name)}\r\n\r\n{content}\r\n" for name in "ab")
        body += f"--{BOUNDARY}--\r\n"
        answer = self._want(
            "POST", "/v1/code/jobs/job/data", body.encode(), MULTIPART, Prefer="respond-async"
        )
        run = answer.headers["location"]
        now = now.with_bodies(**{f"{run}/status": ANY})
        self._promise(now)
        until = time.monotonic() + PATIENCE
        while (status := self._want("GET", f"{run}/status").body) != b"success":
            if status in ENDED:
                raise Refused(f"a run ended with {status!r}")
            assert time.monotonic() < until, status
            time.sleep(0.01)
        found = {f"{run}/{part}": self._want("GET", f"{run}/{part}").body for part in ("status", "output")}
        assert content.encode() in found[f"{run}/output"] or found[f"{run}/output"].startswith(b"PK")
        return now.with_bodies(**found)

    def _want(
        self, method: str, path: str, body: bytes | None = None, media: str | None = None, **more: str
    ) -> Answer:
        return self._good(self._client.call(method, path, body, media, **more))

    def _good(self, answer: Answer) -> Answer:
        if answer.status >= 300:
            assert answer.status in REFUSALS, answer
            assert json.loads(answer.body)["type"].endswith(f"#{REFUSALS[answer.status]}"), answer
            raise Refused(f"{answer.status} {answer.body[:300]!r}")
        return answer

    def _git(self, repo: str, what: str) -> None:
        done = self._work.run("push", "-q", "-f", f"{self._address}/{repo}.git", what)
        if done.returncode:
            raise Refused(done.stderr.decode())


def differences(writer: Writer, client: Client, before: Known, after: Known) -> list[str]:
    """What is neither as before nor as after the last operation, where the service is asked now."""
    seen = writer.look(before.picture, after.picture)
    wrong = (
        [] if seen in (_facts(before.picture, seen), _facts(after.picture, seen)) else [f"pictures: {seen}"]
    )
    for path in before.bodies.keys() | after.bodies.keys():
        answer = client.call("GET", path)
        found = answer.body if answer.status < 300 else None if answer.status == 404 else f"{answer}".encode()
        may = (before.bodies.get(path, ANY if path.endswith("/output") else None), after.bodies.get(path))
        if found not in may and not (ANY in may and answer.status < 300):
            wrong.append(f"{path}: {found!r:.300}")
    for repo in before.refs.keys() | after.refs.keys():
        refs = refs_of(writer, client, repo)
        one, other = before.refs.get(repo), after.refs.get(repo)
        if refs not in (one, other) and not _newer(refs, one, other):
            wrong.append(f"{repo}: {refs}, not {one} or {other}")
    return wrong


def refs_of(writer: Writer, client: Client, repo: str) -> dict[str, str] | None:
    """The refs of a repo as git receives them; None if there is no repo."""
    pair = base64.b64encode(f"{writer.user}:{writer.token}".encode()).decode()
    path = f"/git/{writer.user}/{repo}.git/info/refs"
    answer = client.call("GET", path, query="service=git-upload-pack", Authorization=f"Basic {pair}")
    assert answer.status in (200, 404), answer
    found = REF.findall(answer.body)
    return {name.decode(): sha.decode() for sha, name in found} if answer.status == 200 else None


def _newer(
    refs: Mapping[str, str] | None, one: Mapping[str, str] | None, other: Mapping[str, str] | None
) -> bool:
    """Whether a ref has moved to a commit that only the answer would have named."""
    return bool(refs and one and other) and all(other.get(name) in (sha, "?") for name, sha in refs.items())
