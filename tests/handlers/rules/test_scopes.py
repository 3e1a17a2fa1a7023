"""The scopes of applications and the claims of runs."""

from __future__ import annotations

import pytest

from handlers.rules.scopes import NAMES, KnownClaims, KnownScopes, is_within, narrowing, scope_words
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
def test_a_branch_covers_only_itself(kind: str) -> None:
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


def test_runs_and_applications_are_distinguished() -> None:
    claims = KnownClaims(KINDS)
    assert narrowing(claims, SCOPES, "repo_ro") == claims.find("repo_ro")
    assert narrowing(claims, SCOPES, "read code").mask("job") == EVERYTHING
    with pytest.raises(Invalid):
        narrowing(claims, SCOPES, "nothing")


CLAIMS = KnownClaims(KINDS)
SUBJECTS = ("repo", "job", "doc", "plot", "grid", "mail", "space", "user")


def test_the_claims_there_are() -> None:
    assert list(NAMES) == ["global", "repo_ro", "repo_rw", "vis_ro", "vis_rw", "space_ro", "space_rw"]


@pytest.mark.parametrize("kind", SUBJECTS)
def test_global_keeps_all_that_the_owner_has(kind: str) -> None:
    assert CLAIMS.find("global").mask(kind) == EVERYTHING


@pytest.mark.parametrize("kind", SUBJECTS)
@pytest.mark.parametrize("name", [name for name in NAMES if name != "global"])
def test_a_narrow_claim_reaches_its_family_alone(name: str, kind: str) -> None:
    family, effective_grant = name.split("_")
    mask = CLAIMS.find(name).mask(kind)
    inside = kind == family or (family == "vis" and kind in ("doc", "plot", "grid", "mail"))
    assert (Access.READ in mask) == inside
    assert (Access.WRITE in mask) == (inside and effective_grant == "rw")
    assert Access.DELETE not in mask
    assert (Access.INFO in mask) == inside


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("global", ("*:read", "*:write", "*:execute", "*:delete")),
        ("repo_ro", ("repo:read",)),
        ("space_rw", ("space:read", "space:write")),
        (
            "vis_ro",
            tuple(
                f"{kind}:{word}" for kind in ("plot", "grid", "doc", "mail") for word in ("read", "execute")
            ),
        ),
    ],
)
def test_a_claim_tells_its_actions(name: str, lines: tuple[str, ...]) -> None:
    assert CLAIMS.actions(name) == lines


@pytest.mark.parametrize("name", ["", "Global", "repo", "repo_ro,repo_rw"])
def test_an_unknown_claim_is_refused(name: str) -> None:
    with pytest.raises(Invalid, match="repo_ro"):
        CLAIMS.find(name)
    with pytest.raises(Invalid):
        CLAIMS.actions(name)
