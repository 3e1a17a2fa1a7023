"""A ledger of what two hosts were asked and answered, by which is held what they show afterwards."""

from __future__ import annotations

import http.client
import json
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path

from tests.kit.clocks import until
from tests.kit.git import Work
from tests.kit.hosts.cabled import PORT, CabledHost
from tests.kit.outside.receiver import Receiver

DOCS, FILES, EFFECTS = "/v1/vis/docs", "/v1/code/spaces/files/content", "/v1/code/spaces/effects/content"
JOB, HOOK, REPO = "/v1/code/jobs/effect", "/v1/admin/hooks/ledger", "alice/pushed"
PATIENCE, SHORT = 20.0, 4.0


class Ledger:
    """What was asked of two hosts by turns, and what came of it; nothing is asked twice."""

    def __init__(self, hosts: list[CabledHost], token: str, folder: Path) -> None:
        self.hosts, self.token, self.folder = hosts, token, folder
        self.fault = "before"
        self.kept: defaultdict[str, dict[str, str]] = defaultdict(dict)
        """By kind, the words of acts that were acknowledged, with what the answer said."""
        self.doubtful: defaultdict[str, set[str]] = defaultdict(set)
        self.figures: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.failures: list[str] = []
        self._turns = count()

    def act(
        self, kind: str, word: str, method: str, path: str, body: str = "", media: str = "text/plain"
    ) -> bool:
        """Ask one of the hosts; whether it was done."""
        try:
            host = self.hosts[next(self._turns) % 2]
            status, text = call(host, self.token, method, path, body, media, SHORT)
        except (OSError, http.client.HTTPException):
            status, text = 0, ""
        if 0 < status < 300:
            self.kept[kind][word] = text
        elif status in (0, 503):
            self.doubtful[kind].add(word)
        elif status != 507:
            self.failures.append(f"{method} {path}: {status} {text}")
        self.figures[self.fault]["kept" if 0 < status < 300 else str(status or "no answer")] += 1
        return 0 < status < 300

    def write(self, number: int) -> None:
        """Make a document, fill it, and write a file."""
        word = f"{self.fault}-{number}"
        if self.act("doc", word, "PUT", f"{DOCS}/{word}"):
            self.act("text", word, "POST", f"{DOCS}/{word}/content", word)
        self.act("file", word, "PUT", f"{FILES}/{word}", word)

    def trigger(self, number: int) -> None:
        """Trigger the job."""
        word = f"{self.fault}-r{number}"
        self.act("run", word, "POST", f"{JOB}/data", json.dumps(word), "application/json")

    def push(self, number: int) -> None:
        """Push a commit."""
        work, host = self.work, self.hosts[number % 2]
        sha = work.commit({f"{self.fault}-{number}": self.fault})
        address = f"http://alice:{self.token}@{host.cable.address}:{PORT}/git/{REPO}.git"
        slow = ("-c", "http.lowSpeedLimit=1", "-c", f"http.lowSpeedTime={PATIENCE:.0f}")
        if work.run(*slow, "push", "-q", address, "HEAD:refs/heads/main").returncode == 0:
            self.kept["push"][sha] = self.fault
            self.figures[self.fault]["kept"] += 1
        else:
            self.figures[self.fault]["no push"] += 1

    @contextmanager
    def working(self) -> Iterator[None]:
        """Have all this done again and again during the block."""
        over, self.work = threading.Event(), Work(self.folder / "pushed")

        def again(act: Callable[[int], None], pause: float) -> None:
            try:
                for number in count():
                    if over.wait(pause):
                        return
                    act(number)
            except Exception as error:
                self.failures.append(repr(error))

        paces = ((self.write, 0.4), (self.trigger, 3.0), (self.push, 5.0))
        threads = [threading.Thread(target=again, args=pace) for pace in paces]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                thread.join()

    def settle(self) -> None:
        """Wait until both hosts answer, and a run that is triggered now ends well."""
        for host in self.hosts:
            assert until(lambda host=host: answers(host, self.token), bool)  # type: ignore[misc]
        run = json.loads(said(self.hosts[0], self.token, "POST", f"{JOB}/data", f'"{self.fault}-last"'))[
            "run"
        ]
        self.kept["run"][f"{self.fault}-last"] = json.dumps({"run": run})
        assert self.hosts[1].end_of(JOB, run, self.token) == "success"


def call(
    host: CabledHost,
    token: str,
    method: str,
    path: str,
    body: str = "",
    media: str = "application/json",
    patience: float = PATIENCE,
) -> tuple[int, str]:
    """Status and body of an answer over the switch."""
    wire = http.client.HTTPConnection(host.cable.address, PORT, timeout=patience)
    heads = {"Authorization": f"Bearer {token}", "Content-Type": media, "Prefer": "respond-async"}
    try:
        wire.request(method, path, body.encode(), heads)
        answer = wire.getresponse()
        return answer.status, answer.read().decode()
    finally:
        wire.close()


def said(host: CabledHost, token: str, method: str, path: str, body: str = "") -> str:
    """A good answer."""
    status, text = call(host, token, method, path, body)
    assert status < 300, (method, path, status, text)
    return text


def answers(host: CabledHost, token: str) -> bool:
    try:
        return call(host, token, "GET", DOCS)[0] == 200
    except OSError:
        return False


def names(host: CabledHost, token: str, path: str) -> list[str]:
    return [row["name"] for row in json.loads(said(host, token, "GET", f"{path}?format=json"))]


def compare(ledger: Ledger, host: CabledHost) -> Counter[str]:
    """Hold what a host shows against the ledger; how much there was of each kind."""
    look, kept = partial(said, host, ledger.token, "GET"), ledger.kept
    for kind, path in (("doc", DOCS), ("file", FILES)):
        there = names(host, ledger.token, path)
        assert len(there) == len(set(there))
        assert kept[kind].keys() <= set(there) <= kept[kind].keys() | ledger.doubtful[kind], kind
    assert {word: look(f"{DOCS}/{word}/content") for word in kept["text"]} == {
        word: word for word in kept["text"]
    }
    assert {word: look(f"{FILES}/{word}") for word in kept["file"]} == {word: word for word in kept["file"]}
    ledger.work.git(
        "fetch", "-q", f"http://alice:{ledger.token}@{host.cable.address}:{PORT}/git/{REPO}.git", "main"
    )
    assert kept["push"].keys() <= set(ledger.work.git("rev-list", "FETCH_HEAD").split())
    return Counter({kind: len(words) for kind, words in kept.items()})


def compare_runs(ledger: Ledger, host: CabledHost) -> tuple[Counter[str], set[str]]:
    """Hold runs and what they left in the space against the ledger; how they ended, and which well."""
    ends = {run: host.end_of(JOB, run, ledger.token) for run in names(host, ledger.token, f"{JOB}/runs")}
    words = {json.loads(text)["run"]: word for word, text in ledger.kept["run"].items()}
    assert words.keys() <= ends.keys()
    assert len(ends) <= len(words) + len(ledger.doubtful["run"])
    effects = Counter(name.partition("+")[0] for name in names(host, ledger.token, EFFECTS))
    assert set(effects.values()) <= {1}, effects.most_common(3)
    assert effects.keys() <= ledger.kept["run"].keys() | ledger.doubtful["run"]
    assert {word for run, word in words.items() if ends[run] == "success"} <= effects.keys()
    return Counter(ends.values()), {run for run, end in ends.items() if end == "success"}


def compare_messages(ledger: Ledger, receiver: Receiver, well: set[str], docs: set[str], kills: int) -> int:
    """Hold what the receiver was sent against what happened; the number of its messages."""
    wanted = {f"/u/alice/d/{word}" for word in docs} | {f"/u/alice/j/effect/{run}" for run in well}

    def sent() -> dict[str, set[str]]:
        ids = defaultdict[str, set[str]](set)
        for one in list(receiver.taken):
            ids[one.payload["data"]["target_fqnp"]].add(one.headers["webhook-id"])
        return ids

    messages = until(sent, lambda ids: wanted <= ids.keys())
    assert messages.keys() == wanted, (wanted - messages.keys(), messages.keys() - wanted)
    assert {len(ids) for ids in messages.values()} == {1}
    assert len(receiver.taken) <= len(wanted) + kills
    return len(receiver.taken)
