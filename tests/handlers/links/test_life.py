"""The life of links compared with a model: what opens, what is counted, and that nothing else does."""

from __future__ import annotations

import base64
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path as Folder
from typing import Any, NoReturn

import orjson
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from handlers.http.kernel import InnerCalls
from handlers.http.request_head import Front, read_head
from handlers.links.door import LinkDoor
from handlers.pages.routes import VISUAL_PAGES
from handlers.pages.visuals.visual_page import pages_by_letter
from storage.bytes.seal import seal_of
from tests.handlers.trees.tree_world import TREE, TreeWorld
from vfs.access import Verb
from vfs.errors import Denied, NotFound
from vfs.serve import serve

PLOTS = ("north", "south")
NAMES = ("press", "board")
PASSWORDS = ("eleven birds", "twelve birds")
HOUR, DAY = 3600, 86400


@dataclass
class Wanted:
    """What is known of a link from the calls that made it what it is."""

    plot: str
    name: str
    ends: float | None = None
    uses: int | None = None
    password: str | None = None
    used: int = 0
    gone: bool = False


def read_no_form(*_: object) -> NoReturn:
    raise NotFound("no form is asked for")


def basic(password: str) -> str:
    return f"Basic {base64.b64encode(f'x:{password}'.encode()).decode()}"


class Lives(RuleBasedStateMachine):
    """Links of two plots: made, limited, ended and opened, while their plots are renamed and removed."""

    def __init__(self) -> None:
        super().__init__()
        self.world = TreeWorld(Folder(tempfile.mkdtemp()))
        self.world.session = self.world.database.session
        self.world.service.seal = seal_of(Folder(tempfile.mkdtemp()) / "key")
        self.world.citizen("ann")
        self.ann = self.world.token("ann")
        self.door = LinkDoor(lambda call: serve(TREE, call), self.world, pages_by_letter(VISUAL_PAGES))
        self.now = 0.0
        self.is_on = True
        self.places = {plot: f"plot_{plot}" for plot in PLOTS}  # the present names
        self.made = 0
        for plot in PLOTS:
            self._make_plot(plot)
        self.links: dict[str, Wanted] = {}  # by keys that were issued, also those of ended ones
        self.visits: list[tuple[str, str, float]] = []
        self.put("north", "press")
        self.put("south", "press")

    def _make_plot(self, plot: str) -> None:
        place = f"/v1/vis/plots/{self.places[plot]}"
        self.world.call(Verb.CREATE, place, self.ann)
        self.world.write(f"{place}/data", self.ann, f"k,v\n{plot},1\n")

    def _path(self, plot: str, name: str, file: str = "") -> str:
        return f"/v1/vis/plots/{self.places[plot]}/shared/link~{name}{file}"

    def _live(self, plot: str, name: str) -> Wanted | None:
        found = [one for one in self.links.values() if not one.gone and (one.plot, one.name) == (plot, name)]
        return found[0] if found else None

    @rule(plot=st.sampled_from(PLOTS), name=st.sampled_from(NAMES))
    def put(self, plot: str, name: str) -> None:
        if not self.is_on:
            with pytest.raises(Denied, match="switched off"):
                self.world.call(Verb.CREATE, self._path(plot, name), self.ann)
            return
        said: Any = self.world.call(Verb.CREATE, self._path(plot, name), self.ann).value
        if self._live(plot, name) is None:
            key = said.value["address"].rpartition("/")[2]
            assert len(key) >= 22 and key not in self.links
            self.links[key] = Wanted(plot, name)
        else:
            assert "address was shown once" in said

    @rule(plot=st.sampled_from(PLOTS), name=st.sampled_from(NAMES))
    def end(self, plot: str, name: str) -> None:
        link = self._live(plot, name)
        if link is None:
            with pytest.raises(NotFound):
                self.world.call(Verb.REMOVE, self._path(plot, name), self.ann)
        else:
            self.world.call(Verb.REMOVE, self._path(plot, name), self.ann)
            link.gone = True

    @precondition(lambda self: any(not one.gone for one in self.links.values()))
    @rule(data=st.data(), file=st.sampled_from(("expires", "uses", "password")))
    def limit(self, data: st.DataObject, file: str) -> None:
        link = data.draw(st.sampled_from([one for one in self.links.values() if not one.gone]))
        path = self._path(link.plot, link.name, f"/{file}")
        if data.draw(st.booleans()):
            self.world.call(Verb.REMOVE, path, self.ann)
            setattr(link, {"expires": "ends"}.get(file, file), None)
        elif file == "expires":
            days = data.draw(st.sampled_from((1, 3)))
            self.world.write(path, self.ann, f"{days}d")
            link.ends = self.now + days * DAY
        elif file == "uses":
            link.uses = data.draw(st.integers(1, 4))
            self.world.write(path, self.ann, str(link.uses))
        else:
            link.password = data.draw(st.sampled_from(PASSWORDS))
            self.world.write(path, self.ann, link.password)

    @rule(plot=st.sampled_from(PLOTS), what=st.sampled_from(("rename", "copy", "remove")))
    def change(self, plot: str, what: str) -> None:
        """Links stay with a renamed plot; a copy has none, and so has a later plot of the same name."""
        self.made += 1
        name, place = f"moved_{self.made}", f"/v1/vis/plots/{self.places[plot]}"
        if what == "rename":
            self.world.call(Verb.RENAME, place, self.ann, name)
            self.places[plot] = name
        elif what == "copy":
            self.world.call(Verb.RENAME, place, self.ann, {"name": name, "copy": True})
            assert self.world.read(f"/v1/vis/plots/{name}/shared", self.ann) == []
        else:
            self.world.call(Verb.REMOVE, place, self.ann)
            for link in self.links.values():
                link.gone |= link.plot == plot
            self._make_plot(plot)

    @rule(seconds=st.sampled_from((60, HOUR, DAY)))
    def wait(self, seconds: int) -> None:
        self.world.clock.forward(seconds)
        self.now += seconds

    @rule(is_on=st.sampled_from((True, True, False)))
    def switch(self, is_on: bool) -> None:
        self.is_on = is_on
        self.world.service.settings = replace(self.world.settings, links=self.is_on)

    @rule(data=st.data())
    def open(self, data: st.DataObject) -> None:
        """With the right password, within an earlier visit or in a new one."""
        for key, link in self.links.items():
            visits = [None, *(one for one in self.visits if one[0] == key)]
            self._open(key, "GET", link.password, data.draw(st.sampled_from(visits)))

    @invariant()
    def every_key_is_answered(self) -> None:
        """With each password and none, and within each visit; nothing of it is counted."""
        for key in self.links:
            for password in (*PASSWORDS, None):
                for visit in (None, *(one for one in self.visits if one[0] == key)):
                    self._open(key, "HEAD", password, visit)

    def _open(
        self, key: str, method: str, password: str | None, visit: tuple[str, str, float] | None
    ) -> None:
        status, body, cookies = self._ask(method, key, password, visit[1] if visit else "")
        link = self.links[key]
        counted = visit is not None and self.now < visit[2]
        has_ended = link.gone or not self.is_on or (link.ends is not None and link.ends <= self.now)
        if has_ended or (not counted and link.uses is not None and link.used >= link.uses):
            assert status == 404
        elif link.password is not None and password != link.password:
            assert status == 401
        else:
            assert status == 200
            assert body["data"] == f"k,v\n{link.plot},1\n"
            if method == "GET" and not counted:
                link.used += 1
                self.visits.append((key, cookies[0].partition(";")[0], self.now + HOUR))

    @rule(key=st.sampled_from(("", "A" * 22, "../x", "%2f", "é", "x.svg", "%00")))
    def open_nothing(self, key: str) -> None:
        assert self._ask("GET", key, None, "")[0] == 404

    @precondition(lambda self: any(not one.gone for one in self.links.values()))
    @rule()
    def counts(self) -> None:
        for plot in PLOTS:
            place = f"/v1/vis/plots/{self.places[plot]}"
            rows = self.world.read(f"{place}/shared", self.ann)
            live = {
                f"link~{one.name}": one for one in self.links.values() if one.plot == plot and not one.gone
            }
            assert {row.name: row.extra["count"] for row in rows} == {
                name: one.used for name, one in live.items()
            }
            listed = {one["name"]: one["access"] for one in self.world.read(f"{place}/access", self.ann)}
            for name, one in live.items():
                is_over = one.ends is not None and one.ends <= self.now
                opens = self.is_on and not is_over and (one.uses is None or one.used < one.uses)
                assert listed[name] == (["read", "info", "execute"] if opens else [])

    def _ask(self, method: str, key: str, password: str | None, cookie: str) -> tuple[int, Any, list[str]]:
        environ = {
            "REQUEST_METHOD": method, "RAW_URI": f"/l/{key}", "REMOTE_ADDR": "192.0.2.7",
            "HTTP_HOST": "curlew.example", "wsgi.url_scheme": "http", "HTTP_ACCEPT": "application/json",
            "HTTP_COOKIE": cookie,
        }  # fmt: skip
        if password is not None:
            environ["HTTP_AUTHORIZATION"] = basic(password)
        head = read_head(environ, Front())

        answer = self.door(head, InnerCalls(read_no_form, read_no_form))
        headers = dict((*answer.headers, *answer.policy))
        assert answer.cache == "no-store" and headers["X-Robots-Tag"] == "noindex"
        assert headers["Referrer-Policy"] == "no-referrer"
        if answer.status == 401:
            # A wrong password is counted, and the model does not limit attempts.
            self.world.database.run("DELETE FROM rate")
        body = orjson.loads(answer.body) if answer.body else None
        assert answer.status == 200 or key.partition(".")[0][:12] not in answer.body.decode() or len(key) < 22
        return int(answer.status), body, answer.cookies

    def teardown(self) -> None:
        self.world.database.close()


def test_what_opens_and_what_is_counted() -> None:
    """Whatever happened before, exactly what the model says opens, and no ended key ever does."""
    steps = settings(max_examples=10, stateful_step_count=15, deadline=None)
    run_state_machine_as_test(Lives, settings=steps)
