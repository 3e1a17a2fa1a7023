"""Claims: what the credential of a run is narrowed to, and how that is told (decisions 29)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from vfs.access import EVERYTHING, Access, Claim
from vfs.errors import Invalid

LOOK = Access.READ | Access.INFO
VIEW = LOOK | Access.EXECUTE
VISUALS = ("doc", "plot", "grid", "mail")


def _narrow(name: str, kinds: tuple[str, ...], access: Access) -> Claim:
    return Claim(name, MappingProxyType(dict.fromkeys(kinds, access)))


CLAIMS: Mapping[str, Claim] = MappingProxyType(
    {
        claim.name: claim
        for claim in (
            Claim("global", MappingProxyType({}), EVERYTHING),
            _narrow("repo_ro", ("repo",), LOOK),
            _narrow("repo_rw", ("repo",), LOOK | Access.WRITE),
            _narrow("vis_ro", VISUALS, VIEW),
            _narrow("vis_rw", VISUALS, VIEW | Access.WRITE),
            _narrow("space_ro", ("space",), LOOK),
            _narrow("space_rw", ("space",), LOOK | Access.WRITE),
        )
    }
)

_WORDS = {
    Access.READ: "read",
    Access.WRITE: "write",
    Access.EXECUTE: "execute",
    Access.DELETE: "delete",
}


def claim(name: str) -> Claim:
    """The claim of that name. Raises Invalid when there is none."""
    found = CLAIMS.get(name)
    if found is None:
        raise Invalid(f'"{name[:80]}" is not a claim: send one of {", ".join(CLAIMS)}')
    return found


def covers(present: str, wanted: str) -> bool:
    """Whether a claim allows all that another does."""
    now, then = claim(present), claim(wanted)
    kinds = {*now.allows, *then.allows, ""}
    return all(then.mask(kind) in now.mask(kind) for kind in kinds)


def actions(name: str) -> tuple[str, ...]:
    """What the claim allows, one `<kind>:<action>` each, `*` standing for every kind. Raises Invalid."""
    found = claim(name)
    masks = found.allows or {"*": found.otherwise}
    return tuple(
        f"{kind}:{word}" for kind, access in masks.items() for bit, word in _WORDS.items() if bit in access
    )
