"""Signing up and answering the challenge that comes by mail."""

from __future__ import annotations

import email
import json
import re
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from tests.handlers.trees.town import PASSWORD, Town
from vfs.access import PUBLIC, Verb, Via
from vfs.errors import Conflict, Denied, Invalid, NotFound, Unavailable
from vfs.people import Account
from vfs.place import Outcome

CURLEW = {"username": "curlew", "password": PASSWORD, "email": "curlew@birds.example"}


def letters(town: Town) -> list[Message]:
    return [email.message_from_bytes(file.read_bytes()) for file in sorted(town.outbox.glob("*.eml"))]


def challenge(town: Town) -> dict[str, str]:
    """The uid and the code of the newest letter."""
    text = letters(town)[-1].get_payload(decode=True)
    assert isinstance(text, bytes)
    match = re.search(rb"-d '(.*)'", text)
    assert match is not None
    sent: dict[str, str] = json.loads(match[1])
    return sent


def test_an_account_works_at_once(town: Town) -> None:
    wish = {**CURLEW, "name": "Curlew, long-billed", "account_type": "organisation", "public": True}
    reply = town.call(Verb.WRITE, "/v1/register", PUBLIC, wish)
    assert (reply.outcome, reply.location) == (Outcome.CREATED, "/v1/users/curlew")
    user = town.users.find("curlew")
    assert user is not None
    assert (user.account, user.public, user.verified) == (Account.ORGANISATION, True, False)
    leaf = town.leaves.get(user.item, "name")
    assert leaf is not None
    assert leaf.text == "Curlew, long-billed"
    signed_in = town.write("/v1/token", PUBLIC, {"username": "curlew", "password": PASSWORD})
    assert signed_in["status"] == "Success"


def test_every_wrong_field_is_told(town: Town) -> None:
    wish = {"username": "Not A Name", "password": "short", "email": "nowhere", "account_type": "x"}
    with pytest.raises(Invalid) as refused:
        town.write("/v1/register", PUBLIC, {**wish, "public": 3})
    rejected = refused.value.members["rejected"]
    assert [one["field"] for one in rejected] == ["username", "password", "email", "account_type", "public"]
    assert all(one["reason"] for one in rejected)
    assert town.users.find("Not A Name") is None


@pytest.mark.parametrize("taken", [{"username": "alice"}, {"email": "ALICE@birds.example"}])
def test_what_is_taken_is_refused_and_leaves_nothing(town: Town, taken: dict[str, str]) -> None:
    with pytest.raises(Conflict):
        town.write("/v1/register", PUBLIC, {**CURLEW, **taken})
    assert [user.name for user in town.users.all()] == ["alice", "bob"]
    assert letters(town) == []


def test_registration_may_be_closed(tmp_path: Path) -> None:
    town = Town(tmp_path, registration="closed")
    with pytest.raises(Denied, match="curlew user add"):
        town.write("/v1/register", PUBLIC, CURLEW)


def test_a_run_never_registers(town: Town) -> None:
    with pytest.raises(Denied):
        town.write("/v1/register", town.token("alice", via=Via.RUN, claim="global", run=1), CURLEW)


def test_the_letter_tells_how_to_verify_the_address(town: Town) -> None:
    assert town.write("/v1/register", PUBLIC, CURLEW)["challenge"] == "mailed"
    (letter,) = letters(town)
    assert (letter["To"], letter["From"]) == ("curlew@birds.example", "post@birds.example")
    assert "verified" in town.write("/v1/admin/challenge", PUBLIC, challenge(town))
    user = town.users.find("curlew")
    assert user is not None
    assert user.verified


def test_a_challenge_is_answered_once(town: Town) -> None:
    town.write("/v1/register", PUBLIC, CURLEW)
    town.write("/v1/admin/challenge", PUBLIC, challenge(town))
    with pytest.raises(NotFound):
        town.write("/v1/admin/challenge", PUBLIC, challenge(town))


def test_five_wrong_codes_spend_a_challenge(town: Town) -> None:
    town.write("/v1/register", PUBLIC, CURLEW)
    sent = challenge(town)
    for _ in range(5):
        with pytest.raises(NotFound):
            town.write("/v1/admin/challenge", PUBLIC, {**sent, "code": "000000"})
    with pytest.raises(NotFound):
        town.write("/v1/admin/challenge", PUBLIC, sent)


def test_four_wrong_codes_do_not(town: Town) -> None:
    town.write("/v1/register", PUBLIC, CURLEW)
    sent = challenge(town)
    for _ in range(4):
        with pytest.raises(NotFound):
            town.write("/v1/admin/challenge", PUBLIC, {**sent, "code": "000000"})
    town.write("/v1/admin/challenge", PUBLIC, {**sent, "code": int(sent["code"])})


def test_a_challenge_holds_for_a_day(town: Town) -> None:
    town.write("/v1/register", PUBLIC, CURLEW)
    town.clock.forward(24 * 3600)
    with pytest.raises(NotFound):
        town.write("/v1/admin/challenge", PUBLIC, challenge(town))


def test_a_challenge_is_for_one_address(town: Town) -> None:
    town.write("/v1/register", PUBLIC, CURLEW)
    town.users.change("curlew", email="other@birds.example")
    with pytest.raises(NotFound):
        town.write("/v1/admin/challenge", PUBLIC, challenge(town))


@pytest.mark.parametrize("sent", [{}, {"uid": "unknown", "code": "123456"}, {"uid": "a\0b", "code": None}])
def test_an_unknown_challenge_is_not_found(town: Town, sent: Any) -> None:
    with pytest.raises(NotFound):
        town.write("/v1/admin/challenge", PUBLIC, sent)


def test_an_answer_is_an_object(town: Town) -> None:
    with pytest.raises(Invalid):
        town.write("/v1/admin/challenge", PUBLIC, ["uid"])


def test_an_account_stands_when_its_letter_does_not_leave(town: Town) -> None:
    class Closed:
        def send(self, to: str, subject: str, text: str) -> None:
            raise Unavailable("the relay is away")

    town.post = Closed()
    assert town.write("/v1/register", PUBLIC, CURLEW)["challenge"] == "not mailed"
    assert town.users.find("curlew") is not None
