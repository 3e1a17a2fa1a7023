"""The permission matrix of groups and organisations (reliability 2.6), row by row, for every kind of caller.

`+` goes well, `3` is Denied, `4` is NotFound, `.` does not apply. What is refused changes nothing, and
OPTIONS tells the verb exactly where it goes well.
"""

from __future__ import annotations

from pathlib import Path as Folder
from typing import Any

import pytest

from handlers.rules.ranks import OrgPlan
from tests.handlers.trees.town import Town
from vfs.access import Caller, Role, Verb, Via
from vfs.errors import Denied, NotFound, VfsError
from vfs.ports.groups import GroupKind
from vfs.ports.people import Account

CALLERS = ("outsider", "pending", "member", "superuser", "admin", "founder", "overseer", "orgfounder")
ROLES = {
    "member": Role.MEMBERS,
    "superuser": Role.SUPERUSERS,
    "admin": Role.ADMINS,
    "founder": Role.FOUNDERS,
}
PLACES = {"user": "/v1/admin/groups/@founder~team", "org": "/v1/admin/orgs/acme/groups/team"}
READ, WRITE, CREATE, REMOVE = Verb.READ, Verb.WRITE, Verb.CREATE, Verb.REMOVE

# what, kinds, verb, path below the group, body; then a sign for each of CALLERS
MATRIX = """
see group                both  READ    .                                       4 + + + + + + +
see roster               both  READ    roles/members                           4 4 + + + + + +
see a role               both  READ    roles/members/bob                       4 4 + + + + + +
see profile              both  READ    profile/name                            4 4 + + + + + +
see description          both  READ    profile/description                     4 4 + + + + + +
see options              both  READ    profile/options/public                  4 4 + + + + + +
group e-mail             org   READ    email                                   4 4 + + + + 4 4
write name               both  WRITE   profile/name                            4 4 3 3 + + 3 3
clear name               both  REMOVE  profile/name                            4 4 3 3 + + 3 3
write description        both  WRITE   profile/description                     4 4 3 3 + + 3 3
write an option          both  WRITE   profile/options/public                  4 4 3 3 + + 3 3
write show_members       both  WRITE   profile/options/show_members            4 4 3 3 + + 3 3
clear an option          both  REMOVE  profile/options/public                  4 4 3 3 + + 3 3
write the mask           both  WRITE   profile/picture/mask                    4 4 3 3 + + 3 3
clear a picture          both  REMOVE  profile/picture/image                   4 4 3 3 + + 3 3
invite a member          both  CREATE  roles/members/new                       4 4 3 + + + 3 3
invite a superuser       both  CREATE  roles/superusers/new                    4 4 3 + + + 3 3
invite an admin          both  CREATE  roles/admins/new                        4 4 3 3 + + 3 3
invite a founder         user  CREATE  roles/founders/new                      4 4 3 3 3 3 3 3
invite a founder         org   CREATE  roles/founders/new                      4 4 3 3 3 + 3 3
invite nobody            both  CREATE  roles/members/nobody                    4 4 3 4 4 4 3 3
move up to superuser     both  CREATE  roles/superusers/bob                    4 4 3 + + + 3 3
move up to admin         both  CREATE  roles/admins/bob                        4 4 3 3 + + 3 3
move up to founder       user  CREATE  roles/founders/bob                      4 4 3 3 3 3 3 3
move up to founder       org   CREATE  roles/founders/bob                      4 4 3 3 3 + 3 3
move an admin down       both  CREATE  roles/members/ann                       4 4 3 3 + + 3 3
move a superuser down    both  CREATE  roles/members/sue                       4 4 3 + + + 3 3
move a founder down      user  CREATE  roles/members/founder                   4 4 3 3 3 3 3 3
move the founder down    org   CREATE  roles/members/founder                   4 4 3 3 3 3 3 3
remove a member          both  REMOVE  roles/members/bob                       4 4 3 + + + 3 3
remove a superuser       both  REMOVE  roles/superusers/sue                    4 4 3 + + + 3 3
remove an admin          both  REMOVE  roles/admins/ann                        4 4 3 3 + + 3 3
remove the founder       both  REMOVE  roles/founders/founder                  4 4 3 3 3 3 3 3
from a folder not held   both  REMOVE  roles/admins/bob                        4 4 4 4 4 4 4 4
withdraw an invite       both  REMOVE  roles/members/I-guest                   4 4 3 + + + 3 3
withdraw a high invite   both  REMOVE  roles/admins/I-star                     4 4 3 3 + + 3 3
change an invite         both  CREATE  roles/superusers/guest                  4 4 3 + + + 3 3
oneself as a member      org   CREATE  roles/members/{me}                      4 4 3 + + 3 + +
oneself as an admin      org   CREATE  roles/admins/{me}                       4 4 3 3 + 3 + +
oneself as a founder     org   CREATE  roles/founders/{me}                     4 4 3 3 3 + 3 +
oneself as a founder     user  CREATE  roles/founders/{me}                     4 4 3 3 3 + 3 3
another from above       org   CREATE  roles/members/new                       4 4 3 + + + 3 3
leave                    both  REMOVE  {own}                                   . . + + + 3 . .
remove the group         both  REMOVE  .                                       4 3 3 3 3 + 3 3
answer                   both  WRITE   accept                                  4 + 4 4 4 4 4 4
"""


def cells() -> list[Any]:
    """Every cell of the matrix."""
    found = []
    for line in MATRIX.strip().splitlines():
        what, (kinds, verb, path, *signs) = line[:24].strip(), line[24:].split()
        assert len(signs) == len(CALLERS), line
        for kind in ("user", "org") if kinds == "both" else (kinds,):
            for caller, sign in zip(CALLERS, signs, strict=True):
                # in a user group nobody stands above it: those are outsiders
                sign = (
                    "4" if kind == "user" and caller in ("overseer", "orgfounder") and sign != "." else sign
                )
                if sign != ".":
                    cell = (kind, verb, path, caller, sign)
                    found.append(pytest.param(*cell, id=f"{kind} group: {what}: {caller}"))
    return found


class Village(Town):
    """A user group and an org group, with somebody in every role."""

    def __init__(self, folder: Folder) -> None:
        super().__init__(folder)
        self.known: dict[str, Caller] = {}
        for name in (*CALLERS, "bob", "ann", "sue", "guest", "star", "new"):
            account = Account.ORGANISATION if name == "orgfounder" else Account.REGULAR
            self.users.add(name, "-", account, None, public=False)
        self.groups.create(GroupKind.ORG, "orgfounder", "acme", "orgfounder", OrgPlan.ENTERPRISE)
        self.members.put("+acme", "overseer", Role.ADMINS, pending=False, by=None)
        self.refs = {
            "user": self.groups.create(GroupKind.USER_GROUP, "founder", "team", "founder").ref,
            "org": self.groups.create(GroupKind.ORG_GROUP, "acme", "team", "founder").ref,
        }
        for ref in self.refs.values():
            for name, role in {
                **ROLES,
                "bob": Role.MEMBERS,
                "ann": Role.ADMINS,
                "sue": Role.SUPERUSERS,
            }.items():
                if name != "founder":
                    self.members.put(ref, name, role, pending=False, by="founder")
            for name, role in (("pending", Role.MEMBERS), ("guest", Role.MEMBERS), ("star", Role.ADMINS)):
                self.members.put(ref, name, role, pending=True, by="founder")

    def caller(self, name: str) -> Caller:
        """The caller of that name, with a token made when it first comes."""
        if name not in self.known:
            self.known[name] = self.token(name)
        return self.known[name]

    def path(self, kind: str, path: str, caller: str) -> str:
        """The path that a row means."""
        if path == "accept":
            return f"/v1/admin/invites/{self.refs[kind]}/accept"
        if caller in ROLES:
            path = path.replace("{own}", f"roles/{ROLES[caller]}/{caller}")
        return f"{PLACES[kind]}/{path.replace('{me}', caller)}".removesuffix("/.")

    def seen(self) -> Any:
        """What a refusal must leave as it was."""
        return [(self.groups.find(ref, None), self.members.roster(ref)) for ref in self.refs.values()]


BODIES = {"accept": "yes", "mask": "1,2,3", "name": "The Team", "description": "# Us"}


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Village:
    """A village for all who are refused, since that changes nothing."""
    return Village(tmp_path_factory.mktemp("village"))


@pytest.mark.parametrize(("kind", "verb", "path", "caller", "sign"), cells())
def test_a_cell(
    request: pytest.FixtureRequest,
    untouched: Village,
    kind: str,
    verb: str,
    path: str,
    caller: str,
    sign: str,
) -> None:
    village = Village(request.getfixturevalue("tmp_path")) if sign == "+" else untouched
    who, where = village.caller(caller), village.path(kind, path, caller)
    body = BODIES.get(where.rsplit("/", 1)[-1], "yes") if verb == "WRITE" else None
    before = village.seen()
    offered = _offered(village, who, where)
    try:
        village.call(Verb[verb], where, who, body)
        told = "+"
    except NotFound:
        told = "4"
    except Denied:
        told = "3"
    assert told == sign
    if sign != "+":
        assert village.seen() == before
    assert (Verb[verb] in offered) is (sign == "+")


def _offered(village: Village, who: Any, where: str) -> tuple[Verb, ...]:
    try:
        return village.call(None, where, who).allow or ()
    except VfsError:
        return ()


@pytest.mark.parametrize("caller", [*CALLERS, "bob"])
def test_listings_offer_what_goes_well(tmp_path: Folder, caller: str) -> None:
    village = Village(tmp_path)
    who = village.token(caller)
    for place in PLACES.values():
        for folder in ("", "/profile", "/profile/options", "/roles", *(f"/roles/{role}" for role in Role)):
            try:
                rows = village.read(place + folder, who)
            except VfsError:
                continue
            for row in rows:
                assert row.verbs == village.call(None, row.uri, who).allow, row.uri
                assert row.permissions == village.call(None, row.uri, who).permissions, row.uri


@pytest.mark.parametrize("caller", ["outsider", "pending"])
@pytest.mark.parametrize("verb", list(Verb))
@pytest.mark.parametrize("rest", ["/roles/members/bob", "/profile/name", "/roles/admins"])
def test_what_is_invisible_is_absent(tmp_path: Folder, caller: str, verb: Verb, rest: str) -> None:
    village = Village(tmp_path)
    told = []
    for place in (PLACES["user"], "/v1/admin/groups/@founder~never"):
        with pytest.raises(NotFound) as refused:
            village.call(verb, place + rest, village.token(caller, place[-5:]), "x")
        told.append(refused.value.detail.replace(place, "-"))
    assert told[0] == told[1]


@pytest.mark.parametrize("claim", ["global", "vis_rw"])
def test_a_run_administers_nothing(tmp_path: Folder, claim: str) -> None:
    village = Village(tmp_path)
    run = village.token("founder", "run-1", via=Via.RUN, claim=claim, run=1)
    for verb, path in (
        (READ, "/v1/admin/groups"), (READ, PLACES["user"]), (READ, f"{PLACES['user']}/profile/name"),
        (WRITE, f"{PLACES['user']}/profile/name"), (READ, f"{PLACES['user']}/roles/members"),
        (CREATE, f"{PLACES['user']}/roles/members/new"), (REMOVE, f"{PLACES['user']}/roles/members/bob"),
        (READ, "/v1/admin/invites"), (READ, "/v1/admin/orgs"), (READ, "/v1/admin/social/connections"),
        (CREATE, "/v1/admin/social/connections/bob"), (REMOVE, PLACES["user"]),
    ):  # fmt: skip
        with pytest.raises(Denied):
            village.call(verb, path, run, "x" if verb is WRITE else None)
