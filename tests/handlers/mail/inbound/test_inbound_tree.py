"""Inbound mails of a group in the tree: their reasons, how long they stay, and untrusted text in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from chains.runs.states import Event
from tests.handlers.mail.inbound.mail_world import DOMAIN, SERVER, STRANGER, MailWorld, sign
from tests.kit.pinned_records import PinnedRecords
from vfs.access import Role, Verb
from vfs.errors import Conflict, Denied, NotFound
from vfs.ports.blobs import Ref
from vfs.ports.inbound import InboundState, NewInbound

FOLDER = "/v1/admin/orgs/acme/groups/sales/inbound"


def rows(mail_world: MailWorld) -> list[Any]:
    """The rows that carol, who founded the group, is listed."""
    return [{"name": row.name, **row.extra} for row in mail_world.service_world.read("carol", FOLDER)]


def test_an_accepted_mail_goes_once_it_is_answered(mail_world: MailWorld) -> None:
    mail_world.accept(sign(mail_world.letter()))
    mail_world.dispatch()
    (row,) = rows(mail_world)
    assert (row["status"], row["verdict"]) == ("accepted", f"from @bob, proved by dkim of {DOMAIN}")
    path = f"{FOLDER}/{row['name']}"
    assert mail_world.service_world.read("carol", f"{path}/log")[-1]["message"] == "1 run, 0 answered"
    with pytest.raises(Conflict, match="not answered yet"):
        mail_world.service_world.call("carol", Verb.REMOVE, path)
    mail_world.end(mail_world.runs()[0], Event.SUCCEED, b"3 birds")
    mail_world.dispatch()
    assert mail_world.service_world.read("carol", f"{path}/log")[-1]["message"] == "1 run, 1 answered"
    mail_world.service_world.call("carol", Verb.REMOVE, path)
    assert rows(mail_world) == []
    mail_world.accept(sign(mail_world.letter()))
    mail_world.dispatch()
    assert [row["verdict"] for row in rows(mail_world)] == ["the message came before"] and len(
        mail_world.runs()
    ) == 1


def test_a_waiting_mail_says_for_what_and_cannot_be_removed(mail_world: MailWorld) -> None:
    mail_world.accept(mail_world.letter(), SERVER)
    (row,) = rows(mail_world)
    path = f"{FOLDER}/{row['name']}"
    assert (row["status"], row["verdict"]) == ("waiting", "it waits to be looked at")
    mail_world.names = PinnedRecords({}, frozenset({DOMAIN}))
    mail_world.dispatch()
    assert "not proved" in rows(mail_world)[0]["verdict"]
    assert "tried 1 times" in mail_world.service_world.read("carol", f"{path}/log")[-1]["message"]
    with pytest.raises(Conflict):
        mail_world.service_world.call("carol", Verb.REMOVE, path)


def test_every_sender_who_may_not_run_a_job_gets_the_same_reason(mail_world: MailWorld) -> None:
    for id, sender in enumerate(("dora", "nobody")):
        mail_world.accept(mail_world.letter(sender, str(id)))
    mail_world.world.people.users.change("bob", locked=True)
    mail_world.accept(mail_world.letter("bob", "9"))
    mail_world.dispatch()
    (reason,) = {row["verdict"] for row in rows(mail_world)}
    assert "@" not in reason and DOMAIN not in reason


def test_what_strangers_wrote_stays_one_printable_line(mail_world: MailWorld) -> None:
    mail_world.accept(mail_world.letter(), f"{STRANGER}", "x\r\n\x1b[2Jy@evil.example")
    mail_world.dispatch()
    (row,) = rows(mail_world)
    said = [
        row["verdict"],
        *(line["message"] for line in mail_world.service_world.read("carol", f"{FOLDER}/{row['name']}/log")),
    ]
    assert all(text.isprintable() for text in said)


def test_the_message_is_a_file_to_the_byte(mail_world: MailWorld) -> None:
    raw = b"<script>alert(1)</script>\r\n\r\n\xff\x00"
    mail_world.accept(raw)
    mail_world.dispatch()
    (row,) = rows(mail_world)
    reply = mail_world.service_world.call("carol", Verb.READ, f"{FOLDER}/{row['name']}/message.eml")
    assert isinstance(reply.value, Ref) and not reply.inline
    assert reply.filename is not None and reply.filename.endswith(".eml")
    with mail_world.world.blobs.open(reply.value) as stream:
        assert stream.read() == raw


def test_no_name_leads_to_the_mail_of_another_group(mail_world: MailWorld) -> None:
    mail_world.accept(mail_world.letter())
    (row,) = rows(mail_world)
    other = replace(mail_world.group, name="lab")
    mail_world.world.people.groups.create(other.kind, "acme", "lab", "carol")
    for name in (row["name"], "20200101-000000-1", "none"):
        with pytest.raises(NotFound):
            mail_world.service_world.read("carol", f"{FOLDER.replace('sales', 'lab')}/{name}/status")
    with pytest.raises(NotFound):
        mail_world.service_world.read("carol", f"{FOLDER}/20200101-000000-1/status")
    mail_world.world.people.members.put("+acme~sales", "dora", Role.ADMINS, pending=True, by=None)
    with pytest.raises(Denied):
        mail_world.service_world.read("dora", FOLDER)


def test_of_answered_mails_the_newest_stay(mail_world: MailWorld) -> None:
    inbound, item = mail_world.world.social.inbound, mail_world.group.item.id
    message = Ref("0" * 64, 100 * 1024 * 1024, "message/rfc822")
    for number in range(4):
        inbound.accept(NewInbound(item, "+acme~sales", "a@b", "{}", message))
        for mail in inbound.take("9", "9", 10):
            inbound.start(mail, "bob", str(number), "", [mail.id] if mail.id == 1 else [])
    assert [mail.id for mail in inbound.of(item, 10)] == [4, 3, 1]
    assert {mail.state for mail in inbound.of(item, 10)} == {InboundState.STARTED}
