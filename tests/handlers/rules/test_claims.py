"""What the credentials of runs are narrowed to."""

from __future__ import annotations

import pytest

from handlers.rules.scopes import NAMES, KnownClaims
from handlers.trees import KINDS as SERVED
from vfs.access import EVERYTHING, Access
from vfs.errors import Invalid

CLAIMS = KnownClaims(SERVED)
KINDS = ("repo", "job", "doc", "plot", "grid", "mail", "space", "user")


def test_the_claims_there_are() -> None:
    assert list(NAMES) == ["global", "repo_ro", "repo_rw", "vis_ro", "vis_rw", "space_ro", "space_rw"]


@pytest.mark.parametrize("kind", KINDS)
def test_global_keeps_all_that_the_owner_has(kind: str) -> None:
    assert CLAIMS.find("global").mask(kind) == EVERYTHING


@pytest.mark.parametrize("kind", KINDS)
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
