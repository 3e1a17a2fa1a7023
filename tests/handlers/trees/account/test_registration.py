"""Signing up and answering the challenge that comes by mail."""

from __future__ import annotations

import email
import json
import re
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from handlers.trees.account.registration import AT_HOME
from tests.handlers.trees.tree_world import PASSWORD, TreeWorld
from vfs.access import PUBLIC, Verb, Via
from vfs.call import Outcome
from vfs.errors import Conflict, Denied, Invalid, NotFound, TooMany, Unavailable
from vfs.ports.people import Account

CURLEW = {"username": "curlew", "password": PASSWORD, "email": "curlew@birds.example"}


def letters(tree_world: TreeWorld) -> list[Message]:
    return [email.message_from_bytes(file.read_bytes()) for file in sorted(tree_world.outbox.glob("*.eml"))]


def challenge(tree_world: TreeWorld) -> dict[str, str]:
    """The uid and the code of the newest letter."""
    text = letters(tree_world)[-1].get_payload(decode=True)
    assert isinstance(text, bytes)
    match = re.search(rb"-d '(.*)'", text)
    assert match is not None
    sent: dict[str, str] = json.loads(match[1])
    return sent


def test_an_account_works_at_once(tree_world: TreeWorld) -> None:
    sent = {**CURLEW, "name": "Curlew, long-billed", "account_type": "organisation", "public": True}
    reply = tree_world.call(Verb.WRITE, "/v1/register", PUBLIC, sent)
    assert (reply.outcome, reply.location) == (Outcome.CREATED, "/v1/users/curlew")
    user = tree_world.users.find("curlew")
    assert user is not None
    assert (user.account, user.public, user.verified) == (Account.ORGANISATION, True, False)
    leaf = tree_world.leaves.get(user.item, "name")
    assert leaf is not None
    assert leaf.text == "Curlew, long-billed"
    signed_in = tree_world.write("/v1/token", PUBLIC, {"username": "curlew", "password": PASSWORD})
    assert signed_in["status"] == "Success"


def test_a_name_that_is_taken_is_refused_and_leaves_nothing(tree_world: TreeWorld) -> None:
    with pytest.raises(Conflict):
        tree_world.write("/v1/register", PUBLIC, {**CURLEW, "username": "alice"})
    assert [user.name for user in tree_world.users.all()] == ["alice", "bob"]
    assert letters(tree_world) == []


def test_an_address_is_verified_for_one_account(tree_world: TreeWorld) -> None:
    tree_world.users.change("alice", verified=True)
    tree_world.write("/v1/register", PUBLIC, {**CURLEW, "email": "Alice@birds.example"})
    with pytest.raises(Conflict, match="another account"):
        tree_world.write("/v1/admin/challenge", PUBLIC, challenge(tree_world))
    assert not tree_world.users.find("curlew").verified  # type: ignore[union-attr]


def test_registration_is_open_where_that_was_chosen(tmp_path: Path) -> None:
    tree_world = TreeWorld(tmp_path, registration="open", bind="0.0.0.0:8000")
    assert tree_world.call(None, "/v1/register", PUBLIC, local=False).allow == (Verb.WRITE,)
    tree_world.call(Verb.WRITE, "/v1/register", PUBLIC, CURLEW, local=False)


def bird(number: int, **more: str) -> dict[str, str]:
    return {**CURLEW, "username": f"bird-{number}", "email": f"b@{number}.example", **more}


def test_registrations_of_an_address_in_an_hour_are_limited(tmp_path: Path) -> None:
    tree_world = TreeWorld(tmp_path, registrations=3, registration="open")
    for number in range(3):
        tree_world.call(Verb.WRITE, "/v1/register", PUBLIC, bird(number), source=f"2001:db8::{number}")
    with pytest.raises(TooMany) as refused:
        tree_world.call(Verb.WRITE, "/v1/register", PUBLIC, bird(4), source="2001:db8::ffff")
    assert refused.value.members["retry_after"] == 3600
    tree_world.call(Verb.WRITE, "/v1/register", PUBLIC, bird(5), source="2001:db8:0:1::1")
    tree_world.clock.forward(3600)
    tree_world.call(Verb.WRITE, "/v1/register", PUBLIC, bird(4), source="2001:db8::ffff")


def test_names_are_not_tried_without_end(tmp_path: Path) -> None:
    tree_world = TreeWorld(tmp_path, registrations=3, registration="open")
    tree_world.citizen("alice")
    for _ in range(3):
        with pytest.raises(Conflict):
            tree_world.write("/v1/register", PUBLIC, {**CURLEW, "username": "alice"})
    with pytest.raises(TooMany):
        tree_world.write("/v1/register", PUBLIC, {**CURLEW, "username": "alice"})


def test_the_host_itself_makes_fifty_times_as_many_accounts(tmp_path: Path) -> None:
    tree_world = TreeWorld(tmp_path, registrations=1)
    for number in range(AT_HOME):
        tree_world.write("/v1/register", PUBLIC, bird(number))
    with pytest.raises(TooMany):
        tree_world.write("/v1/register", PUBLIC, bird(AT_HOME))


def test_clients_behind_a_proxy_do_not_keep_others_from_registering(tmp_path: Path) -> None:
    tree_world = TreeWorld(tmp_path, registrations=3, registration="open")
    for number in range(30):
        tree_world.call(Verb.WRITE, "/v1/register", PUBLIC, bird(number), source="")
    with pytest.raises(TooMany):
        tree_world.call(Verb.WRITE, "/v1/register", PUBLIC, bird(31), source="")


VARIANTS = ["victim+1@x.example", "Victim+2@x.example", "victim@X.Example", "VICTIM+a+b@x.example"]


def test_mails_to_a_mailbox_in_an_hour_are_limited_under_all_its_names(tmp_path: Path) -> None:
    tree_world = TreeWorld(tmp_path, mails_mailbox=4)
    for number, address in enumerate(VARIANTS):
        tree_world.write("/v1/register", PUBLIC, bird(number, email=address))
    first = challenge(tree_world)
    said = tree_world.write("/v1/register", PUBLIC, bird(5, email=VARIANTS[-1]))
    assert said["challenge"] == "not mailed"
    assert len(letters(tree_world)) == 4
    tree_world.write("/v1/admin/challenge", PUBLIC, first)
    assert tree_world.write("/v1/register", PUBLIC, bird(6, email="other@x.example"))["challenge"] == "mailed"


ORIGINS = [
    ("", "http://127.0.0.1:8000", "http://127.0.0.1:8000/v1"),
    ("", "http://localhost:8000", "http://localhost:8000/v1"),
    ("", "http://[::1]:8000", "http://[::1]:8000/v1"),
    ("", "http://evil.example", "CURLEW/v1"),
    ("", "http://127.0.0.1.evil.example", "CURLEW/v1"),
    ("", "http://localhost.evil.example:8000", "CURLEW/v1"),
    ("", "http://192.168.1.4", "CURLEW/v1"),
    ("https://curlew.example/", "http://evil.example", "https://curlew.example/v1"),
    ("https://curlew.example", "http://localhost:8000", "https://curlew.example/v1"),
]


@pytest.mark.parametrize(("base_url", "origin", "link"), ORIGINS)
def test_a_letter_names_no_address_that_its_sender_made_up(
    tmp_path: Path, base_url: str, origin: str, link: str
) -> None:
    tree_world = TreeWorld(tmp_path, base_url=base_url, registration="open")
    tree_world.call(Verb.WRITE, "/v1/register", PUBLIC, CURLEW, origin=origin)
    text = str(letters(tree_world)[0].get_payload())
    assert f"curl -X POST {link}/admin/challenge" in text
    assert "evil" not in text
    assert ("Write the address" in text) is link.startswith("CURLEW")
    tree_world.write("/v1/admin/challenge", PUBLIC, challenge(tree_world))


def test_a_run_never_registers(tree_world: TreeWorld) -> None:
    with pytest.raises(Denied):
        tree_world.write(
            "/v1/register", tree_world.token("alice", via=Via.RUN, claim="global", run=1), CURLEW
        )


def test_the_letter_tells_how_to_verify_the_address(tree_world: TreeWorld) -> None:
    assert tree_world.write("/v1/register", PUBLIC, CURLEW)["challenge"] == "mailed"
    (letter,) = letters(tree_world)
    assert (letter["To"], letter["From"]) == ("curlew@birds.example", "post@birds.example")
    assert "verified" in tree_world.write("/v1/admin/challenge", PUBLIC, challenge(tree_world))
    user = tree_world.users.find("curlew")
    assert user is not None
    assert user.verified


def test_a_challenge_is_answered_once(tree_world: TreeWorld) -> None:
    tree_world.write("/v1/register", PUBLIC, CURLEW)
    tree_world.write("/v1/admin/challenge", PUBLIC, challenge(tree_world))
    with pytest.raises(NotFound):
        tree_world.write("/v1/admin/challenge", PUBLIC, challenge(tree_world))


def test_five_wrong_codes_spend_a_challenge(tree_world: TreeWorld) -> None:
    tree_world.write("/v1/register", PUBLIC, CURLEW)
    sent = challenge(tree_world)
    for _ in range(5):
        with pytest.raises(NotFound):
            tree_world.write("/v1/admin/challenge", PUBLIC, {**sent, "code": "000000"})
    with pytest.raises(NotFound):
        tree_world.write("/v1/admin/challenge", PUBLIC, sent)


def test_four_wrong_codes_do_not(tree_world: TreeWorld) -> None:
    tree_world.write("/v1/register", PUBLIC, CURLEW)
    sent = challenge(tree_world)
    for _ in range(4):
        with pytest.raises(NotFound):
            tree_world.write("/v1/admin/challenge", PUBLIC, {**sent, "code": "000000"})
    tree_world.write("/v1/admin/challenge", PUBLIC, {**sent, "code": int(sent["code"])})


def test_a_challenge_holds_for_a_day(tree_world: TreeWorld) -> None:
    tree_world.write("/v1/register", PUBLIC, CURLEW)
    tree_world.clock.forward(24 * 3600)
    with pytest.raises(NotFound):
        tree_world.write("/v1/admin/challenge", PUBLIC, challenge(tree_world))


def test_a_challenge_is_for_one_address(tree_world: TreeWorld) -> None:
    tree_world.write("/v1/register", PUBLIC, CURLEW)
    tree_world.users.change("curlew", email="other@birds.example")
    tree_world.addresses.remove("curlew", CURLEW["email"])
    with pytest.raises(NotFound):
        tree_world.write("/v1/admin/challenge", PUBLIC, challenge(tree_world))


@pytest.mark.parametrize("sent", [{}, {"uid": "unknown", "code": "123456"}, {"uid": "a\0b", "code": None}])
def test_an_unknown_challenge_is_not_found(tree_world: TreeWorld, sent: Any) -> None:
    with pytest.raises(NotFound):
        tree_world.write("/v1/admin/challenge", PUBLIC, sent)


def test_an_answer_is_an_object(tree_world: TreeWorld) -> None:
    with pytest.raises(Invalid):
        tree_world.write("/v1/admin/challenge", PUBLIC, ["uid"])


def test_an_account_stands_when_its_letter_does_not_leave(tree_world: TreeWorld) -> None:
    class Closed:
        def send(self, to: str, subject: str, text: str) -> None:
            raise Unavailable("the relay is away")

    tree_world.service.post = Closed()
    assert tree_world.write("/v1/register", PUBLIC, CURLEW)["challenge"] == "not mailed"
    assert tree_world.users.find("curlew") is not None


def test_nobody_registers_with_the_name_of_an_operator(tmp_path: Path) -> None:
    tree_world = TreeWorld(tmp_path, operators="curlew knot", registration="open")
    with pytest.raises(Conflict, match="is taken"):
        tree_world.call(Verb.WRITE, "/v1/register", PUBLIC, CURLEW)
    assert tree_world.users.find("curlew") is None


def test_without_a_relay_no_answer_says_that_a_mail_leaves(tmp_path: Path) -> None:
    tree_world = TreeWorld(tmp_path, smtp="", registration="open")
    assert tree_world.write("/v1/register", PUBLIC, CURLEW)["challenge"] == "not mailed"
    curlew = tree_world.token("curlew")
    answer = tree_world.call(Verb.CREATE, "/v1/admin/profile/emails/further@birds.example", curlew).value
    assert "sends no mail yet" in str(answer) and "CURLEW_SMTP" in str(answer)
    answer = tree_world.write("/v1/admin/forgotten", PUBLIC, {"email": "curlew@birds.example"})
    assert "sends no mail yet" in str(answer)
    assert len(list(tree_world.outbox.glob("*.eml"))) == 2
