"""What the credentials of applications are narrowed to."""

from __future__ import annotations

import pytest

from handlers.rules.scopes import KnownClaims, KnownScopes, is_within, narrowing, scope_words
from handlers.trees import KINDS
from vfs.access import EVERYTHING, NOTHING, Access
from vfs.errors import Invalid

SCOPES = KnownScopes(KINDS)


@pytest.mark.parametrize(
    ("sent", "words"),
    [("read", ("read",)), (" code  read code", ("read", "code")), ("vis all", ("all",))],
)
def test_a_list_is_put_in_order(sent: str, words: tuple[str, ...]) -> None:
    assert scope_words(sent) == words


@pytest.mark.parametrize("sent", ["", "  ", "Read", "read,vis", "repo_ro", "admin"])
def test_an_unknown_scope_is_refused(sent: str) -> None:
    with pytest.raises(Invalid, match="one or more of all, read, vis, code"):
        scope_words(sent)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_branch_is_itself_alone(kind: str) -> None:
    family = KINDS[kind].family
    for scope in ("vis", "code"):
        assert SCOPES.find(scope).mask(kind) == (EVERYTHING if family == scope else NOTHING)
    reading = SCOPES.find("read").mask(kind)
    assert Access.READ in reading
    assert not reading & (Access.WRITE | Access.DELETE)
    both = SCOPES.find("read vis").mask(kind)
    assert both == (EVERYTHING if family == "vis" else reading)


def test_an_account_is_in_no_branch() -> None:
    assert SCOPES.find("read vis code").mask("user") == Access.INFO


def test_all_covers_every_scope() -> None:
    assert is_within(("vis", "code"), ("all",))
    assert is_within(("read",), ("read", "vis"))
    assert not is_within(("read",), ("vis",))
    assert not is_within(("all",), ("read", "vis", "code"))


def test_runs_and_applications_are_told_apart() -> None:
    claims = KnownClaims(KINDS)
    assert narrowing(claims, SCOPES, "repo_ro") == claims.find("repo_ro")
    assert narrowing(claims, SCOPES, "read code").mask("job") == EVERYTHING
    with pytest.raises(Invalid):
        narrowing(claims, SCOPES, "nothing")
