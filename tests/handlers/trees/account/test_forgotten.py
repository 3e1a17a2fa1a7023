"""A forgotten password, and the code by which a new one is set."""

from __future__ import annotations

import email
import re

import pytest

from handlers.services.mailboxes import SENDER
from tests.handlers.trees.town import PASSWORD, Town
from vfs.access import PUBLIC, Via
from vfs.errors import Invalid, NotFound, TooMany

NEW = "another eleven birds"


@pytest.fixture(autouse=True)
def _alice(town: Town) -> None:
    if town.users.find("alice") is None:
        town.citizen("alice")
    town.users.change("alice", verified=True)


def mails(town: Town) -> list[str]:
    """The texts of the mails that left."""
    files = sorted(town.outbox.glob("*.eml"))
    return [email.message_from_bytes(file.read_bytes()).get_payload(decode=True).decode() for file in files]  # type: ignore[union-attr]


def ask(town: Town, address: str = "alice@birds.example") -> str:
    said = str(town.write("/v1/admin/forgotten", PUBLIC, {"email": address}))
    SENDER.submit(bool).result()  # one sends, in turn: what was asked for before has left
    return said


def code(town: Town) -> str:
    ask(town)
    found = re.search(r'"code": "([^"]+)"', mails(town)[-1])
    assert found is not None
    return found[1]


def test_a_code_sets_a_new_password_once(town: Town) -> None:
    session, token = town.token("alice", "session-1", via=Via.SESSION), town.token("alice", "kept")
    sent = {"code": code(town), "new_password": NEW}
    said = town.write("/v1/admin/reset", PUBLIC, sent)
    assert "all sessions have ended" in said and "1 token lives on" in said
    assert town.tokens.at(session.token).revoked_on is not None  # type: ignore[arg-type,union-attr]
    assert town.tokens.at(token.token).revoked_on is None  # type: ignore[arg-type,union-attr]
    assert town.passwords.proves("alice", NEW, "")
    assert not town.passwords.proves("alice", PASSWORD, "")
    with pytest.raises(NotFound):
        town.write("/v1/admin/reset", PUBLIC, sent)
    assert any("was changed on" in text for text in mails(town))
    assert len(mails(town)) == 2


def test_a_code_lives_for_half_an_hour(town: Town) -> None:
    sent = {"code": code(town), "new_password": NEW}
    town.clock.forward(1800)
    with pytest.raises(NotFound, match="30 minutes"):
        town.write("/v1/admin/reset", PUBLIC, sent)


def test_nobody_learns_whether_there_is_an_account(town: Town) -> None:
    said = ask(town)
    before = len(mails(town))
    assert ask(town, "nobody@birds.example") == said
    town.users.change("alice", verified=False)
    assert ask(town) == said
    assert len(mails(town)) == before


def test_a_short_password_spends_no_code(town: Town) -> None:
    sent = {"code": code(town), "new_password": "short"}
    with pytest.raises(Invalid, match="at least 10"):
        town.write("/v1/admin/reset", PUBLIC, sent)
    town.write("/v1/admin/reset", PUBLIC, {**sent, "new_password": NEW, "revoke_tokens": True})


@pytest.mark.parametrize("body", [{"email": "nowhere"}, {}, []])
def test_an_address_is_needed(town: Town, body: object) -> None:
    with pytest.raises(Invalid):
        town.write("/v1/admin/forgotten", PUBLIC, body)


@pytest.mark.parametrize("wrong", ["x", "clw_" + "a" * 43])
def test_an_unknown_code_is_worth_nothing(town: Town, wrong: str) -> None:
    with pytest.raises(NotFound):
        town.write("/v1/admin/reset", PUBLIC, {"code": wrong, "new_password": NEW})


def test_asking_is_counted(town: Town) -> None:
    for number in range(10):
        ask(town, f"nobody-{number}@birds.example")
    with pytest.raises(TooMany):
        ask(town)
    with pytest.raises(TooMany):
        town.write("/v1/admin/reset", PUBLIC, {"code": "x", "new_password": NEW})


def test_the_user_name_is_no_password(town: Town) -> None:
    town.citizen("long-billed-curlew")
    town.users.change("long-billed-curlew", verified=True)
    ask(town, "long-billed-curlew@birds.example")
    found = re.search(r'"code": "([^"]+)"', mails(town)[-1])
    assert found is not None
    with pytest.raises(Invalid, match="user name"):
        town.write("/v1/admin/reset", PUBLIC, {"code": found[1], "new_password": "long-billed-curlew"})
    town.write("/v1/admin/reset", PUBLIC, {"code": found[1], "new_password": NEW})
