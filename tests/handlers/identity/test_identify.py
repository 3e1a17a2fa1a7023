"""Who a request comes from: tokens, sessions, passwords, and every dead or foreign one of them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from handlers.identity.credentials import PREFIX, digest, fresh, is_credential, tail
from handlers.identity.identify import COOKIE, cookie_name, credentials_of
from handlers.security.log_lines import RequestNotes
from handlers.trees import ROOT
from tests.handlers.door import NOTHING_ELSE, ORIGIN, WHOAMI, Door, basic
from tests.handlers.small_kernel import Kernel, edge
from tests.kit.client import call
from vfs.access import PUBLIC, Verb, Via
from vfs.errors import Denied, TooMany, Unauthenticated
from vfs.path import Path
from vfs.ports.clock import stamp
from vfs.tree import Tree

SESSION = cookie_name(ORIGIN)
TOKEN, AUTH = Path.parse("/v1/token"), Path.parse("/v1/auth")
PASSWORD = Path.parse("/v1/admin/profile/password")


def test_credentials_are_recognisable_and_random() -> None:
    values = {fresh() for _ in range(100)}
    assert len(values) == 100
    assert all(value.startswith(PREFIX) and is_credential(value) for value in values)
    assert not is_credential("clw_short")
    assert len(digest("x")) == 64
    assert len({tail() for _ in range(100)}) == 100


def test_nobody_is_the_public(door: Door) -> None:
    assert door.ask() is PUBLIC
    assert door.ask(cookie="theme=dark; other=1") is PUBLIC
    assert door.ask(cookie=f"x{SESSION}=1") is PUBLIC


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER  "])
def test_a_token_proves_its_user(door: Door, scheme: str) -> None:
    caller = door.ask(authorization=scheme + door.mint())
    assert (caller.name, caller.via, caller.claim) == ("bob", Via.TOKEN, None)
    assert caller.token is not None


def test_a_run_is_narrowed_to_its_claim(door: Door) -> None:
    caller = door.ask(authorization="Bearer " + door.mint(via=Via.RUN, claim="repo_ro"))
    assert (caller.via, caller.claim) == (Via.RUN, NOTHING_ELSE)


DEAD = (  # unknown, malformed or empty, but a token
    "Bearer",
    "Bearer ",
    "Bearer clw_",
    "Bearer nonsense",
    f"Bearer {fresh()}",
    "Bearer \udcff",
    "Bearer clw_ø",
)
ODD = ("", "Digest x", "Token x", fresh(), "Basic", "Basic !!!", "Basic bm9jb2xvbg==")
RENEWING = tuple(
    Path.parse(f"/v1/{name}")
    for name in ("token", "auth", "register", "admin/challenge", "admin/forgotten", "admin/reset")
)


@pytest.mark.parametrize("header", [*DEAD, *ODD])
def test_a_credential_that_proves_nothing_is_never_taken_for_none(door: Door, header: str) -> None:
    for verb, path in ((Verb.READ, WHOAMI), (Verb.READ, TOKEN), (None, TOKEN), (Verb.WRITE, PASSWORD)):
        with pytest.raises(Unauthenticated):
            door.ask(verb, path, authorization=header)


@pytest.mark.parametrize("path", RENEWING, ids=str)
def test_a_dead_credential_is_no_hindrance_to_a_new_one(door: Door, path: Path) -> None:
    for header in DEAD:
        assert door.ask(Verb.WRITE, path, authorization=header) is PUBLIC
    assert door.ask(Verb.WRITE, path, cookie=f"{SESSION}={fresh()}") is PUBLIC
    notes, gone = RequestNotes(), door.mint("gone", expires_on=stamp(door.clock.now()))
    assert door.ask(Verb.WRITE, path, notes=notes, authorization=f"Bearer {gone}") is PUBLIC
    assert notes.account is None
    for header in ODD:
        with pytest.raises(Unauthenticated):
            door.ask(Verb.WRITE, path, authorization=header)
    for verb in (Verb.READ, Verb.CREATE, None):
        with pytest.raises(Unauthenticated):
            door.ask(verb, path, authorization=DEAD[-1])
    assert door.ask(Verb.WRITE, path, authorization=f"Bearer {door.mint()}").name == "bob"


def test_a_password_is_accepted_only_where_it_is_requested(door: Door) -> None:
    for path in RENEWING[2:]:
        with pytest.raises(Unauthenticated, match="are taken by"):
            door.ask(Verb.WRITE, path, authorization=basic("bob", "secret"))


def test_two_authorizations_are_one_malformed_one(door: Door) -> None:
    with pytest.raises(Unauthenticated):
        door.ask(authorization=f"Bearer {door.mint('one')},Bearer {door.mint('two')}")


def test_an_expired_token_is_dead_from_its_deadline_on(door: Door) -> None:
    deadline = door.clock.now() + timedelta(seconds=10)
    header = "Bearer " + door.mint("gone", expires_on=stamp(deadline))
    door.clock.forward(9.999)
    assert door.ask(authorization=header).name == "bob"
    door.clock.forward(0.001)
    with pytest.raises(Unauthenticated, match="expired"):
        door.ask(authorization=header)


def test_a_revoked_token_and_a_locked_user_are_out_at_once(door: Door) -> None:
    first, second = door.mint("one"), door.mint("two")
    token = door.world.tokens.by_digest(digest(first))
    assert token is not None
    door.world.tokens.revoke(token.id)
    with pytest.raises(Unauthenticated):
        door.ask(authorization=f"Bearer {first}")
    assert door.ask(authorization=f"Bearer {second}").name == "bob"
    door.world.users.change("bob", locked=True)
    with pytest.raises(Unauthenticated):
        door.ask(authorization=f"Bearer {second}")
    with pytest.raises(Unauthenticated):
        door.ask(Verb.WRITE, AUTH, authorization=basic("bob", "secret"))


def test_a_session_is_proved_by_its_cookie(door: Door) -> None:
    cookie = f"theme=dark; {SESSION}={door.mint(via=Via.SESSION)}; x"
    assert door.ask(cookie=cookie).via is Via.SESSION
    assert door.ask(None, cookie=cookie).name == "bob"
    quoted = f'{SESSION}="{door.mint("other", via=Via.SESSION)}"'
    assert door.ask(cookie=quoted).name == "bob"


def test_over_tls_a_session_is_known_by_a_name_that_no_neighbour_can_set(door: Door) -> None:
    victim, planted = door.mint(via=Via.SESSION), door.mint(user="eve", via=Via.SESSION)
    assert f"__Host-{COOKIE}" == SESSION
    for foreign in (
        COOKIE,
        SESSION.lower(),
        f"\xa0{SESSION}",
        f"\x85{SESSION}",
        f"x{SESSION}",
        f"$Path; {COOKIE}",
    ):
        assert door.ask(cookie=f"{foreign}={planted}") is PUBLIC
        assert door.ask(cookie=f"{foreign}={planted}; {SESSION}={victim}").name == "bob"


@pytest.mark.parametrize("via", [Via.TOKEN, Via.RUN])
def test_a_token_is_no_cookie(door: Door, via: Via) -> None:
    with pytest.raises(Unauthenticated):
        door.ask(cookie=f"{SESSION}={door.mint(via=via)}")


def test_the_bearer_wins_over_the_cookie(door: Door) -> None:
    cookie = f"{SESSION}={fresh()}"
    token = door.mint(user="eve")
    assert door.ask(Verb.WRITE, cookie=cookie, authorization=f"Bearer {token}").name == "eve"


@pytest.mark.parametrize(
    "headers, admitted",
    [
        ({}, True),
        ({"sec_fetch_site": "same-origin"}, True),
        ({"sec_fetch_site": "same-site"}, False),
        ({"sec_fetch_site": "cross-site"}, False),
        ({"sec_fetch_site": "none"}, False),
        ({"origin": ORIGIN}, True),
        ({"origin": "http://curlew.example"}, False),
        ({"origin": ORIGIN + ".evil.example"}, False),
        ({"origin": "null"}, False),
        ({"origin": ORIGIN, "sec_fetch_site": "cross-site"}, False),
        ({"origin": ORIGIN, "sec_fetch_site": "same-origin"}, True),
        ({"origin": "https://evil.example", "sec_fetch_site": "same-origin"}, False),
        ({"origin": "null", "sec_fetch_site": "same-origin"}, False),
        ({"origin": "", "host": ""}, False),
        ({"sec_fetch_site": ""}, False),
        ({"origin": "https://10.0.0.9", "host": "10.0.0.9", "sec_fetch_site": "same-origin"}, True),
        ({"origin": "https://10.0.0.9", "host": "10.0.0.9"}, False),
        ({"origin": "", "host": "", "sec_fetch_site": "same-origin"}, False),
    ],
)
@pytest.mark.parametrize("verb", [Verb.WRITE, Verb.CREATE, Verb.RENAME, Verb.REMOVE])
def test_a_write_by_cookie_comes_from_pages_of_this_site(
    door: Door, headers: dict[str, str], admitted: bool, verb: Verb
) -> None:
    cookie = f"{SESSION}={door.mint(via=Via.SESSION)}"
    if admitted:
        assert door.ask(verb, cookie=cookie, **headers).name == "bob"
    else:
        with pytest.raises(Denied, match="own pages"):
            door.ask(verb, cookie=cookie, **headers)


def test_a_password_is_accepted_where_it_is_requested(door: Door) -> None:
    for path in (TOKEN, AUTH, Path.parse("/v1/admin/profile/password")):
        caller = door.ask(Verb.WRITE, path, authorization=basic("bob", "secret"))
        assert (caller.name, caller.via) == ("bob", Via.PASSWORD)


@pytest.mark.parametrize("verb, path", [(Verb.READ, TOKEN), (Verb.WRITE, WHOAMI), (None, AUTH)])
def test_a_password_is_taken_nowhere_else(door: Door, verb: Verb | None, path: Path) -> None:
    with pytest.raises(Unauthenticated, match="POST /v1/token"):
        door.ask(verb, path, authorization=basic("bob", "secret"))


@pytest.mark.parametrize("name, password", [("bob", "wrong"), ("nobody", "secret"), ("bob", ""), ("", "")])
def test_a_wrong_name_and_a_wrong_password_answer_alike(door: Door, name: str, password: str) -> None:
    with pytest.raises(Unauthenticated, match=r"^the user name or the password is wrong$"):
        door.ask(Verb.WRITE, AUTH, authorization=basic(name, password))


def test_too_many_failures_have_to_wait(door: Door) -> None:
    for _ in range(3):
        with pytest.raises(Unauthenticated):
            door.ask(Verb.WRITE, AUTH, authorization=basic("bob", "wrong"))
    with pytest.raises(TooMany) as refused:
        door.ask(Verb.WRITE, AUTH, authorization=basic("bob", "secret"))
    assert 1 <= refused.value.members["retry_after"] <= 60
    assert door.ask(Verb.WRITE, AUTH, authorization=basic("eve", "secret")).name == "eve"


def test_git_sends_a_token_in_place_of_a_password(door: Door) -> None:
    token = door.mint()
    assert door.identify.by_basic_token(basic("bob", token)).name == "bob"
    assert door.identify.by_basic_token(basic("", token)).name == "bob"
    for header in (basic("eve", token), basic("bob", "secret"), basic("bob", fresh()), f"Bearer {token}", ""):
        with pytest.raises(Unauthenticated):
            door.identify.by_basic_token(header)


def test_a_dead_session_is_taken_from_the_browser(door: Door) -> None:
    app = edge(Kernel(door.world), identify=door.identify)
    answer = call(app, "GET", "/v1/x", [("Cookie", f"{COOKIE}={fresh()}")])
    assert answer.status == 401
    assert answer.headers["set-cookie"].startswith(f"{COOKIE}=; Path=/; Max-Age=0")
    assert "set-cookie" not in call(app, "GET", "/v1/x", [("Authorization", "Bearer x")]).headers


@pytest.mark.parametrize(
    "method, path, challenge",
    [
        ("GET", "/v1/whoami", 'Bearer realm="curlew"'),
        ("GET", "/v1/token", 'Bearer realm="curlew"'),
        ("POST", "/v1/token", 'Basic realm="curlew", charset="UTF-8"'),
        ("POST", "/v1/auth/", 'Basic realm="curlew", charset="UTF-8"'),
    ],
)
def test_a_refusal_says_which_credential_is_wanted(
    door: Door, method: str, path: str, challenge: str
) -> None:
    credentials = credentials_of(Tree(ROOT))
    app = edge(Kernel(door.world), identify=door.identify, credentials=credentials)
    answer = call(app, method, path, [("Authorization", "Digest x")])
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == challenge


def test_the_credential_of_a_run_is_taken_below_the_api_alone() -> None:
    door = Door()
    run = door.mint(via=Via.RUN, claim="global", run=1)
    assert door.ask(authorization=f"Bearer {run}").run == 1
    for path in ("/gql", "/u/bob/j/nightly", "/"):
        with pytest.raises(Denied, match="below /v1 alone"):
            door.ask(path=Path.parse(path), authorization=f"Bearer {run}")


def test_git_gets_the_advice_to_send_a_token_for_a_password(door: Door) -> None:
    for password in ("secret", "wrong", ""):
        with pytest.raises(Unauthenticated, match="takes a token in place of the password"):
            door.identify.by_basic_token(basic("bob", password))
    assert door.identify.by_basic_token(basic("bob", door.mint())).name == "bob"
