"""Mails that came to a group as the tree shows them: why, for how long, and what strangers wrote in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from chains.runs.states import Event
from tests.handlers.mail.inbound.mail_room import DOMAIN, SERVER, STRANGER, MailRoom, sign
from tests.kit.pinned_records import PinnedRecords
from vfs.access import Role, Verb
from vfs.errors import Conflict, Denied, NotFound
from vfs.ports.blobs import Ref
from vfs.ports.inbound import InboundState, NewInbound

FOLDER = "/v1/admin/orgs/acme/groups/sales/inbound"


def rows(room: MailRoom) -> list[Any]:
    """The rows that carol, who founded the group, is listed."""
    return [{"name": row.name, **row.extra} for row in room.household.read("carol", FOLDER)]


def test_an_accepted_mail_goes_once_it_is_answered(room: MailRoom) -> None:
    room.accept(sign(room.letter()))
    room.dispatch()
    (row,) = rows(room)
    assert (row["status"], row["verdict"]) == ("accepted", f"from @bob, proved by dkim of {DOMAIN}")
    path = f"{FOLDER}/{row['name']}"
    assert room.household.read("carol", f"{path}/log")[-1]["message"] == "1 run, 0 answered"
    with pytest.raises(Conflict, match="not answered yet"):
        room.household.call("carol", Verb.REMOVE, path)
    room.end(room.runs()[0], Event.SUCCEED, b"3 birds")
    room.dispatch()
    assert room.household.read("carol", f"{path}/log")[-1]["message"] == "1 run, 1 answered"
    room.household.call("carol", Verb.REMOVE, path)
    assert rows(room) == []
    room.accept(sign(room.letter()))
    room.dispatch()
    assert [row["verdict"] for row in rows(room)] == ["the message came before"] and len(room.runs()) == 1


def test_a_mail_that_waits_tells_for_what_and_stays(room: MailRoom) -> None:
    room.accept(room.letter(), SERVER)
    (row,) = rows(room)
    path = f"{FOLDER}/{row['name']}"
    assert (row["status"], row["verdict"]) == ("waiting", "it waits to be looked at")
    room.names = PinnedRecords({}, frozenset({DOMAIN}))
    room.dispatch()
    assert "not proved" in rows(room)[0]["verdict"]
    assert "tried 1 times" in room.household.read("carol", f"{path}/log")[-1]["message"]
    with pytest.raises(Conflict):
        room.household.call("carol", Verb.REMOVE, path)


def test_one_reason_stands_for_whoever_is_not_a_member_who_may_run_a_job(room: MailRoom) -> None:
    for id, sender in enumerate(("dora", "nobody")):
        room.accept(room.letter(sender, str(id)))
    room.world.people.users.change("bob", locked=True)
    room.accept(room.letter("bob", "9"))
    room.dispatch()
    (reason,) = {row["verdict"] for row in rows(room)}
    assert "@" not in reason and DOMAIN not in reason


def test_what_strangers_wrote_stays_one_printable_line(room: MailRoom) -> None:
    room.accept(room.letter(), f"{STRANGER}", "x\r\n\x1b[2Jy@evil.example")
    room.dispatch()
    (row,) = rows(room)
    said = [
        row["verdict"],
        *(line["message"] for line in room.household.read("carol", f"{FOLDER}/{row['name']}/log")),
    ]
    assert all(text.isprintable() for text in said)


def test_the_message_is_a_file_to_the_byte(room: MailRoom) -> None:
    raw = b"<script>alert(1)</script>\r\n\r\n\xff\x00"
    room.accept(raw)
    room.dispatch()
    (row,) = rows(room)
    reply = room.household.call("carol", Verb.READ, f"{FOLDER}/{row['name']}/message.eml")
    assert isinstance(reply.value, Ref) and not reply.inline
    assert reply.filename is not None and reply.filename.endswith(".eml")
    with room.world.blobs.open(reply.value) as stream:
        assert stream.read() == raw


def test_no_name_leads_to_the_mail_of_another_group(room: MailRoom) -> None:
    room.accept(room.letter())
    (row,) = rows(room)
    other = replace(room.group, name="lab")
    room.world.people.groups.create(other.kind, "acme", "lab", "carol")
    for name in (row["name"], "20200101-000000-1", "none"):
        with pytest.raises(NotFound):
            room.household.read("carol", f"{FOLDER.replace('sales', 'lab')}/{name}/status")
    with pytest.raises(NotFound):
        room.household.read("carol", f"{FOLDER}/20200101-000000-1/status")
    room.world.people.members.put("+acme~sales", "dora", Role.ADMINS, pending=True, by=None)
    with pytest.raises(Denied):
        room.household.read("dora", FOLDER)


def test_of_answered_mails_the_newest_stay(room: MailRoom) -> None:
    inbound, item = room.world.social.inbound, room.group.item.id
    message = Ref("0" * 64, 100 * 1024 * 1024, "message/rfc822")
    for number in range(4):
        inbound.accept(NewInbound(item, "+acme~sales", "a@b", "{}", message))
        for mail in inbound.take("9", "9", 10):
            inbound.start(mail, "bob", str(number), "", [mail.id] if mail.id == 1 else [])
    assert [mail.id for mail in inbound.of(item, 10)] == [4, 3, 1]
    assert {mail.state for mail in inbound.of(item, 10)} == {InboundState.STARTED}
