"""A scene for people behind runs: alice's job, document and private plot, and bob, who wants to see that."""

from __future__ import annotations

from handlers.services.rights import readers_behind, usable_items
from tests.kit.client import Answer
from tests.kit.service import Application
from vfs.access import Access

JOB, DOC, PRIVATE = "/v1/users/alice/code/jobs/letter", "/v1/users/alice/vis/docs/rep", "/u/alice/p/priv"
TEXT = f"# {{{PRIVATE}/v/pay}}\n\n{{{{ vis ref: {PRIVATE} }}}}\n"
FORM = "multipart/form-data; boundary=line"
REPORT = (
    '--line\r\nContent-Disposition: form-data; name="file"; filename="report.md"\r\n\r\n'
    f"{TEXT}\r\n--line--\r\n"
).encode()
COPY, SHOW, WRITE = "COPY=", "SHOW=all", f"WRITE=report.md={TEXT}"


class Scene:
    """alice's job `letter` of a repo of hers, with its results, and her private plot."""

    def __init__(self, service: Application) -> None:
        self.service, self.world = service, service.world
        for name in ("alice", "bob", "carol"):
            service.user(name, "public", "verified")
        for folder in ("plots/priv", "plots/priv/vars/pay", "docs/rep"):
            self.put(f"/v1/users/alice/vis/{folder}")
        self.post("/v1/users/alice/vis/plots/priv/vars/pay/value", "424242")
        self.share("doc", "rep", "bob", "r")
        self.job("step", COPY)

    def job(self, chain: str, *script: str) -> None:
        self.service.arrange("image", ["alice/step", *script], [])
        self.put(JOB)
        self.post(f"{JOB}/config/chains", chain)
        self.results()

    def results(self) -> str:
        return self.post(f"{JOB}/config/results", "report.md => /d/rep")

    def share(self, kind: str, name: str, user: str, letters: str, owner: str = "alice") -> None:
        self.service.arrange("share", [kind, f"{owner}/{name}", f"@{user}", letters], [])

    def unshare(self, kind: str, name: str, user: str) -> None:
        self.world.grants.take(self.service.item(kind, f"alice/{name}").id, f"@{user}")

    def ask(self, method: str, path: str, body: bytes, user: str, media: str, token: str = "") -> Answer:
        head = [("Authorization", f"Bearer {token or self.service.user(user)}")]
        return self.service.call(method, path, [*head, ("Content-Type", media)] if body else head, body)

    def put(self, path: str, user: str = "alice") -> None:
        assert self.ask("PUT", path, b"", user, "text/plain").status in (200, 201, 409)

    def post(self, path: str, text: str, user: str = "alice") -> str:
        answer = self.ask("POST", path, text.encode(), user, "text/plain")
        assert answer.status in (200, 201, 202), answer.body
        return answer.body.decode()

    def space(self, name: str, *letters: str) -> str:
        self.put(f"/v1/users/alice/code/spaces/{name}")
        for one in letters:
            self.share("space", name, "bob", one)
        return f"/v1/users/alice/code/spaces/{name}/content/report.md"

    def run(self, user: str = "alice", body: bytes = b"{}", media: str = "application/json") -> str:
        """Trigger the job; the path of its run."""
        answer = self.ask("POST", f"{JOB}/data", body, user, media)
        assert answer.status in (200, 202, 204), answer.body
        return answer.headers["location"].replace("/v1/code/", "/v1/users/alice/code/")

    def await_end(self, run: str) -> None:
        runs = self.world.code.runs
        found = runs.reader.get(self.service.item("job", "alice/letter").id, run.rpartition("/")[2])
        assert found is not None
        assert runs.waits.wait(found.key, lambda status: status.ended, 20).ended

    def get(self, path: str, user: str = "alice") -> str:
        return self.ask("GET", path, b"", user, "").body.decode()

    def log(self) -> str:
        return self.get(f"{JOB}/log")

    @property
    def author(self) -> str | None:
        leaf = self.world.leaves.get(self.service.item("doc", "alice/rep").id, "content")
        return leaf.author if leaf is not None else None

    def shows(self) -> bool:
        """Whether the document shows the private plot."""
        doc = self.service.item("doc", "alice/rep")
        people = readers_behind(self.world, doc, self.author)
        return bool(usable_items(self.world, people, "plot", [("alice", "priv")], (), Access.READ))


class Fetching(Scene):
    """The same, where a step has a credential and is at work for a while."""

    def fetch(self, paths: list[str], write: str = "") -> None:
        """Run the job, whose step fetches what is at these paths and writes to the document itself."""
        self.post(f"{JOB}/config/access", "global")
        self.job("step", "SLEEP=0.7", f"WRITE=report.md={PRIVATE}")
        answer = self.service.call(
            "POST",
            f"{JOB}/data",
            [
                ("Authorization", f"Bearer {self.service.user('alice')}"),
                ("Prefer", "respond-async"),
                ("Content-Type", "application/json"),
            ],
            b"{}",
        )
        run = answer.headers["location"].replace("/v1/code/", "/v1/users/alice/code/")
        given = self.service.engine.given
        while "SVC_TOKEN" not in given.get("step", {}):
            self.world.code.runs.waits.follow(1, 0, 0.01)
        token = given["step"]["SVC_TOKEN"]
        for path in paths:
            assert self.ask("GET", path, b"", "", "", token).status == 200, path
        if write:
            assert self.ask("POST", f"{DOC}/content", write.encode(), "", "text/plain", token).status == 200
        self.await_end(run)
