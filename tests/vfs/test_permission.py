"""Who may do what: one function for admission, OPTIONS and actions; absent and invisible are the same."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vfs.access import (
    EVERYTHING,
    NOTHING,
    PUBLIC,
    RUNNABLE,
    VIEWABLE,
    Access,
    Caller,
    Claim,
    EffectiveGrant,
    ItemClaim,
    Role,
    Verb,
    access_of,
    access_through,
    access_through_all,
    letters,
    people_in_turn,
)
from vfs.body import TextBody
from vfs.call import Call
from vfs.errors import Conflict, Denied, NotFound, Unauthenticated, Unsupported, VfsError
from vfs.find import find
from vfs.path import Path
from vfs.ports.items import Item
from vfs.rules import ANYONE, NOBODY, PERSONALLY_X
from vfs.serve import admit

PATHS = [
    "",
    "/label",
    "/toys/new",
    "/toys",
    "/env/key",
    "/cover/top",
    "/deep/a",
    "/shake",
    "/vault",
    "/self",
    "/none",
    "/tags/@bob",
]
VERBS = [*Verb, None]


def outcome(kernel: Any, who: Any, verb: Verb | None, path: str) -> Any:
    try:
        return kernel.ask(who, verb, path, "word")
    except VfsError as error:
        return type(error), error.detail.replace("hidden-one", "X").replace("absent-one", "X")


@pytest.mark.parametrize("who", [None, "bob", "cleo"])
@pytest.mark.parametrize("kind", ["boxes", "crates", "shelf"])
@pytest.mark.parametrize("verb", VERBS)
def test_absent_and_invisible_get_equal_answers(
    kernel: Any, who: str | None, kind: str, verb: Verb | None
) -> None:
    for folder in ("boxes", "crates"):
        kernel.ask("ann", Verb.CREATE, f"/me/{folder}/hidden-one")
    for path in PATHS:
        hidden = outcome(kernel, who, verb, f"/users/ann/{kind}/hidden-one{path}")
        assert hidden == outcome(kernel, who, verb, f"/users/ann/{kind}/absent-one{path}")


def test_a_link_inside_what_is_invisible_leads_nowhere(kernel: Any) -> None:
    for name in ("toolbox", "absent"):
        with pytest.raises(NotFound):
            kernel.read("bob", f"/users/ann/boxes/{name}/self")


@pytest.mark.parametrize(
    "held_letters", ["".join(c) for n in range(5) for c in itertools.combinations("rwdx", n)]
)
def test_options_actions_and_admission_agree(kernel: Any, held_letters: str) -> None:
    if held_letters:
        kernel.share("@bob", held_letters)
    box = "/users/ann/boxes/toolbox"
    for path in [
        box,
        *(f"{box}/{name}" for name in ("label", "cover", "deep", "toys", "shake", "vault", "env")),
    ]:
        try:
            allowed = set(kernel.ask("bob", None, path).allow)
        except VfsError:
            allowed = set()
        for verb in Verb:
            answer = outcome(kernel, "bob", verb, path)
            refused = isinstance(answer, tuple) and answer[0] in (
                NotFound,
                Denied,
                Unsupported,
                Unauthenticated,
                Conflict,
            )
            if path == box and verb in allowed and verb in (Verb.REMOVE, Verb.RENAME):
                continue
            assert refused == (verb not in allowed), (path, verb, answer)


def test_asking_whether_a_call_would_be_answered_does_nothing(kernel: Any) -> None:
    box = "/users/ann/boxes/toolbox"
    for who, verb in itertools.product(["ann", "bob", None], [Verb.READ, Verb.WRITE, None]):
        caller = Caller(who) if who else PUBLIC
        call = Call(verb, Path.parse(f"{box}/label"), caller, kernel.world, TextBody("another"))
        try:
            admit(kernel.tree, call)
            allowed = True
        except VfsError:
            allowed = False
        assert allowed is (who == "ann")
    assert kernel.read("ann", f"{box}/label") != "another"


def test_a_letter_confers_what_the_table_says() -> None:
    assert (
        access_through_all([EffectiveGrant("@bob", "r")], VIEWABLE)
        == Access.READ | Access.INFO | Access.EXECUTE
    )
    assert access_through_all([EffectiveGrant("@bob", "r")], RUNNABLE) == Access.READ | Access.INFO
    assert (
        access_through_all([EffectiveGrant("@bob", "x"), EffectiveGrant("@bob~g", "w")], RUNNABLE)
        == Access.INFO | Access.EXECUTE | Access.WRITE
    )
    assert access_through_all([], RUNNABLE) == Access(0)


def test_members_never_delete_through_a_group() -> None:
    assert Access.DELETE not in access_through(EffectiveGrant("+o~g", "rwd", Role.MEMBERS), RUNNABLE)
    assert Access.DELETE in access_through(EffectiveGrant("+o~g", "rwd", Role.SUPERUSERS), RUNNABLE)


def test_what_stands_without_the_public() -> None:
    both = [EffectiveGrant("public", "x"), EffectiveGrant("@bob", "r")]
    assert access_through_all(both, RUNNABLE, public=False) == Access.READ | Access.INFO


def test_a_claim_narrows_even_the_owner() -> None:
    claim = Claim("read", {"box": Access.READ})
    box, other = (Item(1, kind, "ann", "a", "s1", "", "") for kind in ("box", "other"))
    assert access_of(box, (), Caller("ann", claim=claim), RUNNABLE) == Access.READ
    assert access_of(other, (), Caller("ann", claim=claim), RUNNABLE) == Access.INFO
    assert access_of(box, (), Caller("ann"), RUNNABLE) == EVERYTHING


def test_a_claim_of_a_single_item_adds_to_what_it_allows_of_the_kind() -> None:
    claim = Claim("one", {"box": Access.READ}, NOTHING, {2: ItemClaim("box", Access.READ | Access.WRITE)})
    caller = Caller("ann", claim=claim)
    one, two, other = (
        access_of(Item(id, kind, "ann", "a", "s", "", ""), (), caller, RUNNABLE)
        for id, kind in ((1, "box"), (2, "box"), (3, "other"))
    )
    assert (one, two, other) == (Access.READ, Access.READ | Access.WRITE, NOTHING)
    assert (claim.hides("box"), claim.hides("other")) == (False, True)
    assert caller.author_in("box") == "ann", "it may read all kinds"
    narrow = Caller("ann", claim=Claim("one", {"box": NOTHING, "jar": EVERYTHING}, NOTHING, claim.items))
    assert (narrow.author_in("box"), narrow.author_in("jar"), narrow.author) == ("* ann", "ann", "ann")


@given(st.sets(st.sampled_from(list(Access))))
def test_access_is_written_back_as_letters(bits: set[Access]) -> None:
    access = Access(0)
    for bit in bits:
        access |= bit
    written = dict(zip("rwdx", (Access.READ, Access.WRITE, Access.DELETE, Access.EXECUTE), strict=True))
    assert letters(access) == tuple(letter for letter, bit in written.items() if bit in access)


def test_rules_compose_by_name_and_need() -> None:
    both, either = ANYONE & NOBODY, ANYONE | NOBODY
    assert (both.name, either.name) == ("anyone & nobody", "(anyone | nobody)")
    assert not both.test(None) and either.test(None)  # type: ignore[arg-type]


def test_personal_execution_is_not_through_the_public(kernel: Any) -> None:
    kernel.share("public", "x")

    def personally(who: str) -> bool:
        context = find(
            kernel.tree, Call(None, Path.parse("/users/ann/boxes/toolbox"), Caller(who), kernel.world)
        )
        return PERSONALLY_X.test(context)

    assert not personally("bob")
    kernel.share("@bob", "x")
    assert personally("bob") and personally("ann")


def test_the_public_sees_what_is_public_and_is_asked_to_sign_in_for_the_rest(kernel: Any) -> None:
    kernel.share("public", "r")
    assert kernel.read(None, "/users/ann/boxes/toolbox/label") == "tools"
    assert kernel.read(None, "/door") == "open"
    for verb, path in [
        (Verb.WRITE, "/users/ann/boxes/toolbox/label"),
        (Verb.READ, "/me/boxes"),
        (Verb.READ, "/nowhere"),
        (Verb.WRITE, "/card"),
        (Verb.WRITE, "/users/ann/boxes/other"),
    ]:
        with pytest.raises(Unauthenticated):
            kernel.ask(None, verb, path, "x")
    with pytest.raises(Unsupported):
        kernel.ask(None, Verb.WRITE, "/door", "x")


def test_a_private_accounts_public_share_reaches_nobody(kernel: Any) -> None:
    kernel.share("public", "r")
    kernel.world.users.change("ann", public=False)
    with pytest.raises(NotFound):
        kernel.read("bob", "/users/ann/boxes/toolbox/label")


def test_a_hidden_place_is_absent_for_users_without_rights_there(kernel: Any) -> None:
    kernel.share("@bob", "rw")
    for who in (None, "bob"):
        for box in ("toolbox", "absent"):
            with pytest.raises(NotFound):
                kernel.read(who, f"/users/ann/boxes/{box}/vault")
    assert kernel.names("ann", "/me/boxes/toolbox/vault") == ["key"]
    with pytest.raises(Unsupported):
        kernel.ask("ann", Verb.WRITE, "/me/boxes/toolbox/vault", "x")


def test_a_place_may_be_hidden_from_some_only(kernel: Any) -> None:
    kernel.share("@bob", "rw")
    kernel.share("public", "r")
    for box in ("toolbox", "absent"):
        with pytest.raises(NotFound):
            kernel.read("bob", f"/users/ann/boxes/{box}/safe")
        with pytest.raises(Unauthenticated):
            kernel.read(None, f"/users/ann/boxes/{box}/safe")
    assert kernel.names("ann", "/me/boxes/toolbox/safe") == ["key"]


def test_names_beside_a_place_are_not_probed_without_the_right_to_list_them(kernel: Any) -> None:
    kernel.ask("ann", Verb.WRITE, "/me/boxes/toolbox/env/real", "s")
    kernel.share("@bob", "x")
    for name in ("real", "guessed"):
        with pytest.raises(Denied):
            kernel.read("bob", f"/users/ann/boxes/toolbox/toys/{name}") if name == "guessed" else kernel.ask(
                "bob", Verb.WRITE, f"/users/ann/boxes/toolbox/env/{name}", "x"
            )
    kernel.share("@bob", "r")
    with pytest.raises(NotFound):
        kernel.read("bob", "/users/ann/boxes/toolbox/toys/none")


def test_a_candid_folder_denies_a_creation_even_of_an_absent_name(kernel: Any) -> None:
    with pytest.raises(Denied, match="you may not do this"):
        kernel.ask("ann", Verb.CREATE, "/clubs/chess")
    for path in ("/clubs/chess", "/clubs/chess/shelf/toolbox"):
        with pytest.raises(NotFound):
            kernel.read("ann", path)
    with pytest.raises(Unsupported):
        kernel.ask("ann", Verb.REMOVE, "/leases/one")


def test_a_narrowed_credential_does_what_its_claim_allows(kernel: Any, robot: Any) -> None:
    assert kernel.read(robot, "/me/boxes/toolbox/label") == "tools"
    with pytest.raises(Denied, match=r"needs write access .*; this credential is limited by its scopes"):
        kernel.ask(robot, Verb.WRITE, "/me/boxes/toolbox/label", "x")
    kernel.share("@bob", "r")
    with pytest.raises(Denied, match=r"needs write access \(w\)$"):
        kernel.ask("bob", Verb.WRITE, "/users/ann/boxes/toolbox/label", "x")
    with pytest.raises(Denied, match="claim"):
        kernel.ask(robot, Verb.CREATE, "/me/crates/c")
    assert kernel.ask(robot, Verb.CREATE, "/rings/two").value


def test_a_link_may_limit_the_verbs(kernel: Any) -> None:
    assert kernel.names("ann", "/peek/boxes") == ["toolbox"]
    with pytest.raises(Unsupported):
        kernel.ask("ann", Verb.WRITE, "/peek/boxes/toolbox/label", "x")
    kernel.ask("ann", Verb.WRITE, "/me/boxes/toolbox/cover/top", "t")
    assert kernel.read("ann", "/peek/shelf/toolbox/top") == "t"
    with pytest.raises(NotFound):
        kernel.ask("ann", Verb.CREATE, "/peek/boxes/other")


def test_links_that_turn_in_circles_end(kernel: Any) -> None:
    for path in ("/spin", "/me/boxes/toolbox/loop"):
        with pytest.raises(NotFound):
            kernel.read("ann", path)


def test_an_unknown_user_hides_its_folders_but_not_what_is_shared(kernel: Any) -> None:
    kernel.share("@cleo", "r")
    assert kernel.read("cleo", "/users/ann/boxes/toolbox/label") == "tools"
    assert kernel.names("cleo", "/users/ann") == ["boxes", "crates", "shelf", "bins"]
    for path in ("/users/zoe", "/users/zoe/boxes", "/users/zoe/boxes/x"):
        with pytest.raises(NotFound):
            kernel.read("ann", path)


def test_a_folder_may_lead_into_an_item(kernel: Any) -> None:
    kernel.ask("ann", Verb.WRITE, "/profile/motto", "go")
    assert kernel.read("ann", "/profile/motto") == "go"
    with pytest.raises(NotFound):
        kernel.read("bob", "/profile/motto")
    with pytest.raises(Unauthenticated):
        kernel.read(None, "/profile")


def test_the_owner_of_a_text_is_checked_last() -> None:
    assert people_in_turn("bob", "zoe ann bob") == ["ann", "zoe", "bob"]
    assert people_in_turn("bob", None) == ["bob"]
