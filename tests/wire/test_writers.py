"""Nobody reads by writing: what is shown is what owner and writer may see, all else as if it were absent."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from handlers.mail.mail_dispatch import MailDispatch
from handlers.mail.outgoing import Deliver
from handlers.settings.sources import load
from tests.kit.service import Application, open_service
from tests.kit.unmeasured import paused_coverage
from tests.kit.world import migrate
from tests.wire.conftest import QUICK
from tests.wire.writers import MARKER, READABLE, Drawing, Writers

TARGETS = ((), ("@alice",), ("@bob",), ("@alice", "@bob"), ("public",))


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.repeats])]
)
def drawing_service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Application]:
    """Curlew on both databases, with the renderer that is shipped."""
    chosen = {**QUICK, "data": str(tmp_path)}
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("migrated"), tmp_path / "curlew.db")
        with open_service(load({}, **chosen), Drawing()) as service:
            yield service
        return
    postgres = request.getfixturevalue("postgres")
    url = postgres.copy_of("tests.wire", migrate)
    with paused_coverage(), open_service(load({}, database_url=url, **chosen), Drawing()) as service:
        yield service
    postgres.drop(url)


@pytest.mark.parametrize("holder", ["alice", "bob", "carol"])
def test_in_every_form_it_is_shown_to_both_or_absent(drawing_service: Application, holder: str) -> None:
    site = Writers(drawing_service, holder)
    site.make_secret()
    hidden, seen = [], {}
    for writer in ("bob", "alice"):
        site.write(writer)
        for targets in TARGETS:
            site.share(frozenset(targets) - {f"@{holder}"})
            sees = {holder, *(one.removeprefix("@") for one in targets)}
            is_shown = "public" in sees or {"alice", writer} <= sees
            found = {reader: site.shown(reader) for reader in ("bob", "dora")}
            if is_shown:
                seen[writer, targets] = found
            else:
                hidden.append((writer, targets, found))
    site.remove_secret()
    absent = {reader: site.shown(reader) for reader in ("bob", "dora")}
    for writer, targets, found in hidden:
        for reader, answers in found.items():
            for path, answer in answers.items():
                assert answer == absent[reader][path], (writer, targets, reader, path)
                assert MARKER.encode() not in answer[1]
    for who, found in seen.items():
        for path, (tag, body) in found["bob"].items():
            if "/files/" in path:
                assert (tag, body) != absent["bob"][path], (who, path)
            if path.rpartition(".")[2] in READABLE:
                assert MARKER.encode() in body, (who, path)


def sent_mail(site: Writers) -> str:
    """The words of alice's mail as it leaves, text and HTML."""
    sent: list[bytes] = []

    @contextmanager
    def relay() -> Iterator[Deliver]:
        yield lambda address, message_id, message: sent.append(message)

    MailDispatch(site.service.world, relay).round()
    sent.clear()
    site.want("alice", "POST", "/v1/vis/mails/r/status", "testing")
    MailDispatch(site.service.world, relay).round()
    (message,) = sent
    parts = message_from_bytes(message, policy=policy.default).walk()
    return "".join(part.get_content() for part in parts if part.get_content_maintype() == "text")


def test_a_mail_that_is_sent_tells_nothing_more(drawing_service: Application) -> None:
    site = Writers(drawing_service, "alice")
    site.make_secret()
    site.write("bob")
    assert MARKER not in sent_mail(site)
    site.share(frozenset({"@bob"}))
    assert MARKER in sent_mail(site)


def test_what_the_writer_loses_is_gone_at_the_next_look(drawing_service: Application) -> None:
    site = Writers(drawing_service, "alice")
    site.make_secret()
    site.write("bob")
    hidden = site.shown("dora")
    users = site.service.world.people.users
    site.share(frozenset({"@bob"}))
    shown = site.shown("dora")
    assert shown != hidden
    users.change("bob", locked=True)
    assert site.shown("dora") == hidden
    users.change("bob", locked=False)
    assert site.shown("dora") == shown
    site.share(frozenset())
    assert site.shown("dora") == hidden
