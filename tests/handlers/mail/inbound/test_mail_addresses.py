"""Addresses of groups: one spelling each, and several of them in one transaction."""

from __future__ import annotations

import pytest

from handlers.mail.inbound.mail_listener import is_open
from tests.handlers.mail.inbound.mail_world import ADDRESS, DOMAIN, SERVER, STRANGER, MailWorld, sign
from vfs.access import Grant, Role
from vfs.ports.inbound import InboundState


def test_a_signature_counts_for_the_groups_that_its_mail_names(mail_world: MailWorld) -> None:
    lab = mail_world.world.people.groups.create(mail_world.group.kind, "acme", "lab", "carol")
    mail_world.set(lab, "allow_inbound_mail")
    for user in ("alice", "bob"):
        mail_world.world.people.members.put("+acme~lab", user, Role.MEMBERS, pending=False, by=None)
    mail_world.world.grants.give(mail_world.job, Grant("+acme~lab", "x", "+acme~lab~x"))
    both = (ADDRESS, "LAB@acme.mail.example", "lab@ACME.mail.example")
    mail_world.accept(sign(mail_world.letter()), STRANGER, f"x@{DOMAIN}", *both)
    mail_world.dispatch()
    (kept,) = mail_world.world.social.inbound.of(lab.item.id, 9)
    assert len(mail_world.runs()) == 1 and kept.state is InboundState.KEPT
    mail_world.accept(mail_world.letter(id="2"), SERVER, f"x@{DOMAIN}", *both)
    mail_world.dispatch()
    assert len(mail_world.runs()) == 3


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
def test_no_other_spelling_is_the_address(mail_world: MailWorld, address: str) -> None:
    assert not is_open(mail_world.world, address)
