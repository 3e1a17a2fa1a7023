"""A site with one thing of each kind, and people with different permissions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.request import Request, urlopen

from tests.handlers.pages.painter import LAYOUT, ROWS, Painter
from tests.handlers.pages.web_user import Library, Operator, Owner
from tests.handlers.pages.wire import Wire
from tests.kit.server import Server

PEOPLE = ("owner", "writer", "reader", "user", "stranger", "nobody")
"""The callers: with `rw`, `r`, `x` and no permission; `nobody` has no session."""
KINDS = {
    "job": ("code", "jobs", "j"),
    "repo": ("code", "repos", "r"),
    "space": ("code", "spaces", "s"),
    "plot": ("vis", "plots", "p"),
    "grid": ("vis", "grids", "g"),
    "document": ("vis", "docs", "d"),
    "mail": ("vis", "mails", "m"),
}
FURTHER = {
    "job": ("/hooks", "/edit", "/comments"),
    "repo": ("/comments", "/at/main/FILE", "/edit/main/FILE", "/commits", "/commits/SHA", "/builds"),
    "space": ("/2026", "/FILE", "/changes"),
    **dict.fromkeys(("plot", "mail"), ("/edit", "/comments")),
    **dict.fromkeys(("grid", "document"), ("/edit", "/comments", "/snapshots", "/snapshots/2026-q1")),
}
"""The pages of a kind beside those that all have."""
LONG = "a_name_that_nobody_would_type_by_hand_but_programs_do_all_the_time_and_without_a_gap.csv"
SITE = "https://example.org/" + "x" * 300
ARABIC = "ملف"
CHART = (
    "{{ vis ref: /p/sales }}\n\n```python\nprint('as long as lines of code come, of ninety letters')\n```\n"
)
REPORT = (
    "---\ntitle: Spring\ntoc: yes\n---\n# Sums\n| a | b |\n|--|--|\n| 1 | 2 |\n\n"
    + CHART
    + "\n## One[[ftn: a]]\n"
)
SLIDES = "---\ntitle: Board\n---\n{{ page /}}\n# One\n" + CHART + "\n{{ page /}}\n## Two\n- $x$\n"
WORDS = {"name": f"The figures {ARABIC}", "summary": f"What it is {SITE}", "description": "# More\n\n`code`"}
CHAIN = "a <- fetch\nb <- each\nc <- each\nd <- each\na -> .b -> d\na -> c -> d\na -> d"


class SampleSite:
    """The items of the site, with the addresses of their pages by content."""

    def __init__(self, server: Server, library: Library, scratch: Path) -> None:
        self.server = server
        self.owner = Owner(server, scratch, library)
        self.people = {name: Owner(server, scratch) for name in PEOPLE[1:-1]} | {"owner": self.owner}
        self.wires = {name: Wire(one) for name, one in self.people.items()}
        self.wires["operator"] = Wire(Operator(server, scratch))
        self.pages: dict[str, str] = {}
        self._make_code()
        self._make_visuals()
        self._make_groups()
        self._share()
        self._talk()
        self._note()

    def ask(self, who: str, path: str) -> tuple[int, str]:
        """Return the status and the text of a page for a caller."""
        wire = self.wires.get(who)
        asking = wire if wire is not None else self.wires["owner"]
        answer = asking.ask("GET", path, cookie=None if wire is not None else "")
        return answer.status, answer.body

    def end(self) -> None:
        """Stop running jobs, and hide the items from later tests."""
        self.server.ask("DELETE", "vis/plots/open/shared/public~r", who=self.owner.name)
        run = self.pages["running"].rsplit("/", 1)[1]
        self.owner.write(f"jobs/running/runs/{run}/status", "canceled")

    def _make_code(self) -> None:
        owner = self.owner
        owner.image("fetch", "WRITE=a.txt=a;b.csv=b", "ECHO=fetching")
        owner.image("each", "COPY=.")
        owner.image("bad", "STDERR=broken", "EXIT=3")
        owner.image("slow", "SLEEP=600")
        files = {"Containerfile": "FROM scratch", "README.md": "# Words\n\n| a | b |\n|--|--|\n| 1 | 2 |\n"}
        owner.push("tool", {**files, LONG: "x" * 3_000, f"{ARABIC}.txt": "مرحبا"})
        owner.put("spaces/raw")
        for name in ("2026/a.csv", LONG, "%D9%85%D9%84%D9%81.txt"):
            owner.write(f"spaces/raw/content/{name}", "a,b\n" + "1" * 3_000)
        asks = {f"config__options__{name}": "optional" for name in ("input", "stdin", "argv")}
        settings = {"config__schedule": "0 8 * * *", "config__env__KEY": "x"}
        made = {"job": owner.job("good", CHAIN, **settings, **WORDS, **asks), "empty": owner.job("empty")}
        hook = self.server.ask("PUT", f"code/jobs/good/hooks/{LONG[:60]}", who=owner.name)
        urlopen(Request(hook["address"], b"{}", {"Content-Type": "application/json"})).close()
        made["success"] = f"{made['job']}/{owner.trigger('good')}"
        for name, chain, wait in (("failed", "fetch -> bad -> each", 60), ("waiting", "fetch -> !each", 60),
                                  ("running", "fetch -> slow -> each", 0)):  # fmt: skip
            made[name] = f"{owner.job(name, chain)}/{owner.trigger(name, wait=wait)}"
        self.pages |= {name: path.removeprefix(self.server.origin) for name, path in made.items()}
        self.pages |= {"repo": f"/u/{owner.name}/r/tool", "space": f"/u/{owner.name}/s/raw"}

    def _make_visuals(self) -> None:
        painter = Painter(self.owner)
        config = {"config__title": "The south catches up", "config__caption": "Counted by hand"}
        long_row = ",".join(["x" * 300, *("1" * 30)])
        self.pages |= {
            "plot": painter.make("plots/sales", data=f"{ROWS}{long_row}\n", **config, **WORDS),
            "blank": painter.make("plots/new"),
            "embed": f"{painter.make('plots/open', data=ROWS)}/embed",
            "document": painter.make("docs/report", content=REPORT, **WORDS),
            "slides": painter.make("docs/slides", content=SLIDES, config__type="pres"),
            "unwritten": painter.make("docs/unwritten"),
            "grid": painter.make("grids/board", layout=LAYOUT, mapping="A => /p/sales, h=t\nB => /p/new\n"),
            "mail": painter.make("mails/monday", content=REPORT, **WORDS),
            "assets": f"/u/{self.owner.name}/d/report/assets",
        }
        for item in ("docs/report", "grids/board"):
            painter.vis("PUT", f"{item}/snapshots/2026-q1")
        painter.vis("POST", "docs/report/content", REPORT.replace("Sums", "Sums of all"))

    def _make_groups(self) -> None:
        ask, owner, reader = self.server.ask, self.owner.name, self.people["reader"].name
        group, org = f"crew-{owner}-".ljust(64, "x"), f"org-{owner}"
        ask("PUT", f"admin/groups/{group}", who=owner)
        ask("PUT", f"admin/groups/{group}/roles/admins/{reader}", who=owner)
        self.server.add(org, account_type="organisation")
        ask("PUT", f"admin/orgs/{org}", who=org)
        ask("PUT", f"admin/orgs/{org}/roles/admins/{owner}", who=org)
        ask("POST", f"admin/orgs/{org}/profile/options/public", b"yes", org)
        for place in ("admin/profile", f"admin/groups/{group}/profile"):
            ask("POST", f"{place}/name", f"{ARABIC} {'w' * 80}".encode(), owner)
            ask("POST", f"{place}/description", SITE.encode(), owner)
        sent = {"username": owner, "password": self.server.password(owner), "token_name": "t" + "o" * 100}
        ask("POST", "token", {**sent, "token_description": SITE})
        ask("PUT", f"admin/profile/emails/{'a' * 60}@{'b' * 60}.example", who=owner)
        self.pages |= {"person": f"/u/{owner}", "group": f"/u/{owner}/grp/{group}", "org": f"/o/{org}"}

    def _share(self) -> None:
        """Share with each caller by their letters, if the kind has such permissions."""
        for kind, (family, folder, _) in KINDS.items():
            write = "rwx" if kind in ("job", "repo") else "rw"
            for who, letters in (("writer", write), ("reader", "r"), ("user", "x")):
                if (kind, who) != ("space", "user"):
                    self._put(
                        f"{family}/{folder}/{self._name(kind)}/shared/@{self.people[who].name}~{letters}"
                    )
        self._put(f"code/jobs/running/shared/@{self.people['user'].name}~x")
        self._put("vis/plots/open/shared/public~r")

    def _talk(self) -> None:
        at = "vis/plots/sales/threads/one"
        self._put(at, f"Why is the *West* down? {SITE}")
        for depth in range(6):
            at += f"/comments/a{depth}"
            self._put(at, f"Answer {depth}, كيف الحال")

    def _note(self) -> None:
        """Write tags and variables of an item."""
        for place in ("vis/plots/sales", "code/jobs/good"):
            for tag in ("fav", "%2Bweekly"):
                self._put(f"{place}/tags/{tag}")
            self._put(f"{place}/vars/unit", "kilograms")

    def _name(self, kind: str) -> str:
        return self.pages[kind].rsplit("/", 1)[1]

    def _put(self, path: str, text: str | None = None) -> None:
        self.server.ask("PUT", path, None if text is None else text.encode(), self.owner.name)


def pages_of(sample_site: SampleSite, kind: str) -> Mapping[str, str]:
    """Return the pages of the item of a kind, by the end of their paths."""
    page = sample_site.pages[kind]
    words = ["", "/settings", "/settings/address", "/settings/delete", "/share", "/activity", *FURTHER[kind]]
    sha = sample_site.owner.read("repos/tool/commits")[0]["name"]
    return {word: page + word.replace("SHA", sha).replace("FILE", LONG) for word in words}
