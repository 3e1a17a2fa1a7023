"""The cost of the search and the first page: as many statements for many items as for few."""

from __future__ import annotations

import logging

import pytest

from handlers.http.request_head import RequestHead
from handlers.pages.finding import home_page
from handlers.pages.finding.list_pages import show_search
from handlers.pages.request import PageRequest
from tests.handlers.service_world import TREE, ServiceWorld
from vfs.access import Caller, Verb, Via
from vfs.serve import serve


def context(service_world: ServiceWorld, query: str = "") -> PageRequest:
    """A request of alice's for a page."""
    environ = {"REQUEST_METHOD": "GET", "QUERY_STRING": query}
    head = RequestHead(environ, "GET", "/", "id", "http://localhost:8000", "127.0.0.1", "browser")
    return PageRequest(
        lambda call: serve(TREE, call), service_world.world, Caller("alice", Via.SESSION), head
    )


def grown(service_world: ServiceWorld, numbers: range) -> None:
    """For each number a job with a tag, which bob shares, and a plot and a repo of alice's."""
    for number in numbers:
        job = f"/v1/users/bob/code/jobs/job-{number}"
        service_world.call("bob", Verb.CREATE, job)
        service_world.call("bob", Verb.CREATE, f"{job}/shared/@alice~rx")
        service_world.call("alice", Verb.CREATE, f"{job}/tags/fav")
        service_world.call("alice", Verb.CREATE, f"/v1/vis/plots/plot-{number}")
        service_world.call("alice", Verb.CREATE, f"/v1/code/repos/repo-{number}")


def test_much_costs_what_little_does(service_world: ServiceWorld, caplog: pytest.LogCaptureFixture) -> None:
    def costs() -> list[int]:
        found = []
        for show, query in (
            (home_page.show, ""),
            (show_search, "q=pl"),
            (show_search, "whose=shared&tag=fav"),
        ):
            caplog.clear()
            with caplog.at_level(logging.DEBUG, logger="peewee"):
                page = show(context(service_world, query))
            assert page.error is None
            found.append(len([record for record in caplog.records if record.name == "peewee"]))
        return found

    grown(service_world, range(2))
    few = costs()
    grown(service_world, range(2, 20))
    assert costs() == few
    assert max(few) <= 31, few
