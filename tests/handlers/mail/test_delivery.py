"""Notices are mailed once to verified addresses, and tried again when the relay failed."""

from __future__ import annotations

import threading
from dataclasses import replace
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest

from handlers.mail.delivery import MailDelivery
from handlers.processes.background import background
from handlers.services.mails.mail_addresses import read_mute_ticket, read_ticket
from handlers.services.notices import mute, mute_words
from handlers.services.world import World
from handlers.settings.settings import Settings
from tests.handlers.service_world import ServiceWorld
from vfs.access import Verb
from vfs.errors import NotFound, Unavailable
from vfs.ports.notices import NoticeSubject

SECONDS = 120.0
PATH = "/v1/users/alice/code/jobs/nightly"


class Box:
    """A relay that fails for the first `closed` mails and keeps the others."""

    def __init__(self, closed: int = 0) -> None:
        self.closed = closed
        self.sent: list[tuple[str, str, str]] = []
        self.leave: list[str] = []
        self.some = threading.Event()

    def send(self, to: str, subject: str, text: str, *, unsubscribe: str = "") -> None:
        if self.closed:
            self.closed -= 1
            raise Unavailable("the relay is away")
        self.sent.append((to, subject, text))
        self.leave.append(unsubscribe)
        self.some.set()


def world(service_world: ServiceWorld, box: Box, settings: Settings | None = None) -> World:
    """The world with other mail, and other settings when they are given."""
    service = service_world.world.service
    changed = replace(service, post=box, settings=settings or service.settings)
    return replace(service_world.world, service=changed)


def add(service_world: ServiceWorld, user: str, text: str = "It failed.\nBadly.", mail: bool = True) -> None:
    found = service_world.world.items.find("job", "alice", "nightly", "alice")
    job = found.item.id if found is not None else service_world.job(schedule="")
    service_world.share(job, "bob", "r")
    service_world.world.social.notices.add(
        user, "failed", "runs/1", text, about=NoticeSubject(job), level="important", mail=mail
    )


def test_a_mail_says_what_happened_where_and_why_it_comes(service_world: ServiceWorld) -> None:
    box = Box()
    add(service_world, "alice")
    add(service_world, "bob", mail=False)
    assert MailDelivery(world(service_world, box)).round() is None
    assert box.sent == [
        (
            "alice@birds.example",
            "Curlew: It failed.",
            "It failed.\nBadly.\n\nhttp://127.0.0.1:8000/u/alice/j/nightly/1\n\n"
            "You chose to get such mails: http://127.0.0.1:8000/u/alice/j/nightly/settings\n"
            f"No more mails of it: {box.leave[0]}\n",
        )
    ]
    assert box.leave[0].startswith("http://127.0.0.1:8000/unsubscribe/notices/")
    assert MailDelivery(world(service_world, box)).round() is None
    assert len(box.sent) == 1


def test_a_mail_closes_what_words_of_others_turn_round(service_world: ServiceWorld) -> None:
    box = Box()
    add(service_world, "alice", "@bob on the job nightly: look \u202eback\u2069\nand \u2067on")
    assert MailDelivery(world(service_world, box)).round() is None
    ((_, subject, text),) = box.sent
    assert subject == "Curlew: @bob on the job nightly: look \u202eback\u202c"
    assert text.startswith("@bob on the job nightly: look \u202eback\u202c\nand \u2067on\u2069\n\nhttp://")


def test_nothing_goes_to_an_address_that_is_not_verified_or_of_a_locked_account(
    service_world: ServiceWorld,
) -> None:
    box = Box()
    service_world.world.people.users.change("alice", verified=False)
    service_world.world.people.users.change("bob", locked=True)
    service_world.world.people.users.change("carol", email=None)
    for user in ("alice", "bob", "carol", "nobody"):
        add(service_world, user)
    assert MailDelivery(world(service_world, box)).round() is None
    assert box.sent == []
    assert list(service_world.world.social.notices.unsent()) == []


def test_what_could_not_be_sent_is_tried_again(service_world: ServiceWorld) -> None:
    box = Box(closed=1)
    add(service_world, "alice", "one")
    add(service_world, "bob", "two")
    postman = MailDelivery(world(service_world, box))
    assert postman.round() is not None
    assert box.sent == []
    assert postman.round() is None
    assert [to for to, _, _ in box.sent] == ["alice@birds.example", "bob@birds.example"]


def test_a_new_notice_is_mailed_at_once(service_world: ServiceWorld) -> None:
    box = Box()
    with background(MailDelivery(world(service_world, box))):
        add(service_world, "alice")
        assert box.some.wait(SECONDS)
    assert len(box.sent) == 1


def test_without_a_relay_it_is_in_the_outbox(service_world: ServiceWorld) -> None:
    add(service_world, "alice")
    assert MailDelivery(service_world.world).round() is None
    (file,) = Path(service_world.world.service.settings.folder / "outbox").glob("*.eml")
    mail: Message = message_from_bytes(file.read_bytes())
    assert (mail["To"], mail["Subject"]) == ("alice@birds.example", "Curlew: It failed.")
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    leave = mail["List-Unsubscribe"].strip("<>")
    service_world.write("alice", f"{PATH}/notifications", "important")
    item, user = read_mute_ticket(service_world.world, leave.rpartition("/")[2])
    mute(service_world.world, item, user)
    assert service_world.read("alice", f"{PATH}/notifications") == "info"
    with pytest.raises(NotFound):
        read_ticket(service_world.world, leave.rpartition("/")[2])


def test_a_mail_for_the_level_of_an_account_names_its_file_and_its_link_lowers_that(
    service_world: ServiceWorld,
) -> None:
    box, usual = Box(), "/v1/admin/profile/notices/failed"
    service_world.write("alice", usual, "important")
    add(service_world, "alice")
    assert MailDelivery(world(service_world, box)).round() is None
    assert "You chose to get such mails: http://127.0.0.1:8000/settings/notices\n" in box.sent[0][2]
    what, user = read_mute_ticket(service_world.world, box.leave[0].rpartition("/")[2])
    assert mute_words(service_world.world, what, user) == "mails that say: a run failed"
    mute(service_world.world, what, user)
    assert service_world.read("alice", usual) == "info"


def test_a_notice_of_an_item_that_is_gone_or_hidden_is_not_mailed(service_world: ServiceWorld) -> None:
    box = Box()
    add(service_world, "alice")
    add(service_world, "bob")
    add(service_world, "carol")
    found = service_world.world.items.find("job", "alice", "nightly", "alice")
    assert found is not None
    service_world.world.grants.take(found.item.id, "@bob")
    service_world.call("alice", Verb.RENAME, PATH, '{"name": "daily"}', media="application/json")
    assert MailDelivery(world(service_world, box)).round() is None
    assert [to for to, _, _ in box.sent] == ["alice@birds.example"]
    assert "/u/alice/j/daily/1\n" in box.sent[0][2]


def test_a_user_gets_few_mails_an_hour_and_the_rest_in_the_inbox(
    service_world: ServiceWorld,
) -> None:
    box = Box()
    few = world(service_world, box, replace(service_world.world.service.settings, mails_account=3))
    for number in range(5):
        add(service_world, "alice", f"It failed {number}.")
    assert MailDelivery(few).round() is None
    assert [subject for _, subject, _ in box.sent] == [f"Curlew: It failed {number}." for number in range(3)]
    assert len(service_world.world.social.notices.of("alice")) == 5
    assert service_world.world.social.notices.unsent() == []


def test_a_mail_names_no_address_that_is_not_certain(service_world: ServiceWorld) -> None:
    box = Box()
    for settings, link in (
        (replace(service_world.world.service.settings, bind="0.0.0.0:8000"), "\n\n/u/alice/j/nightly/1\n"),
        (
            replace(service_world.world.service.settings, base_url="https://c.example/"),
            "https://c.example/u/alice/j/nightly/1",
        ),
    ):
        add(service_world, "alice")
        MailDelivery(world(service_world, box, settings)).round()
        assert link in box.sent[-1][2]
