"""Addresses of groups: one spelling each, and several of them in one transaction."""

from __future__ import annotations

import pytest

from handlers.mail.inbound.mail_acceptance import is_open
from tests.handlers.mail.inbound.mail_room import ADDRESS, DOMAIN, SERVER, STRANGER, MailRoom, sign
from vfs.access import Grant, Role
from vfs.ports.inbound import InboundState


def test_a_signature_counts_for_the_groups_that_its_mail_names(room: MailRoom) -> None:
    lab = room.world.people.groups.create(room.group.kind, "acme", "lab", "carol")
    room.set(lab, "allow_inbound_mail")
    for user in ("alice", "bob"):
        room.world.people.members.put("+acme~lab", user, Role.MEMBERS, pending=False, by=None)
    room.world.grants.give(room.job, Grant("+acme~lab", "x", "+acme~lab~x"))
    both = (ADDRESS, "LAB@acme.mail.example", "lab@ACME.mail.example")
    room.accept(sign(room.letter()), STRANGER, f"x@{DOMAIN}", *both)
    room.dispatch()
    (kept,) = room.world.social.inbound.of(lab.item.id, 9)
    assert len(room.runs()) == 1 and kept.state is InboundState.KEPT
    room.accept(room.letter(id="2"), SERVER, f"x@{DOMAIN}", *both)
    room.dispatch()
    assert len(room.runs()) == 3


@pytest.mark.parametrize(
    "address",
    [
        "sales+news@acme.mail.example",
        "sales.@acme.mail.example",
        '"sales"@acme.mail.example',
        "sales@acme.mail.example.",
        "sales@acme..mail.example",
        "sales@xn--acme.mail.example",
        "sales@\u0430cme.mail.example",
        "\u017fales@acme.mail.example",
        "sales@sub.acme.mail.example",
        "sales@acme.mail.example@acme.mail.example",
        "+acme~sales@acme.mail.example",
        "sales%acme@mail.example",
    ],
)
def test_no_other_spelling_is_the_address(room: MailRoom, address: str) -> None:
    assert not is_open(room.world, address)
