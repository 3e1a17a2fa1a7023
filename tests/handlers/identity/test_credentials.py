"""Who is meant by what is typed for a name, what that tells of others' addresses, and what is counted."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.identity.credentials import NOBODY, sign_in_name
from handlers.identity.passwords import Passwords, Throttle
from handlers.identity.proofs import Sender
from handlers.rules.accounts import LONGEST_COMPARED, opaque_string
from handlers.security.log_lines import RequestNotes
from tests.handlers.proofs import proofs_of
from tests.handlers.small_kernel import Stage
from vfs.errors import TooMany, Unauthenticated
from vfs.ports.people import Account

HERE, THERE = "10.0.0.1", "10.0.0.2"
SECRET = "Zürich-Größe-ñandú-77"
SPELLINGS = ["carol", "Carol", "CAROL", "@carol", "@Carol", "carol@birds.example", "Carol@Birds.Example"]


@pytest.fixture
def stage() -> Stage:
    stage = Stage()
    for name, verified in (("carol", True), ("dave", False)):
        kept = Passwords(stage.users, Throttle(stage.rates), memory=64, passes=1).digest(SECRET)
        stage.users.add(name, kept, Account.REGULAR, f"{name}@birds.example", public=False)
        stage.users.change(name, verified=verified)
    return stage


def passwords_of(stage: Stage) -> Passwords:
    return Passwords(stage.users, Throttle(stage.rates), memory=64, passes=1)


def prove(stage: Stage, typed: str, password: str, source: str, notes: RequestNotes) -> str:
    return proofs_of(stage, passwords_of(stage))[1].by_password(
        typed, password, "", Sender(source, "", notes)
    )


def sign_in(stage: Stage, typed: str, password: str = SECRET, source: str = HERE) -> str:
    return prove(stage, typed, password, source, RequestNotes())


def outcome(stage: Stage, typed: str, password: str, source: str = HERE) -> str:
    try:
        return sign_in(stage, typed, password, source)
    except (TooMany, Unauthenticated) as refused:
        return f"{type(refused).__name__} {refused.detail if isinstance(refused, Unauthenticated) else ''}"


@pytest.mark.parametrize("typed", SPELLINGS)
def test_an_account_is_meant_by_its_name_and_its_address(stage: Stage, typed: str) -> None:
    assert sign_in(stage, typed) == "carol"


@pytest.mark.parametrize(
    "typed",
    ["dave@birds.example", "@carol@birds.example", "@@carol", " carol", "carol ", "+carol", "", "@", "nobody"]
    + [
        "\u212aarol",
        "carol\u200d",
        "ca rol",
        "carol\0",
        "nobody@birds.example",
        "carol@birds.example.",
        "\udcff",
    ]
    + ["\uff20carol", "x" * 300 + "@birds.example", "carol@b\u0131rds.example"],
)
def test_nobody_else_is_meant(stage: Stage, typed: str) -> None:
    assert outcome(stage, typed, SECRET) == "Unauthenticated the user name or the password is wrong"


def test_the_account_is_recorded_by_any_name(stage: Stage) -> None:
    for typed, account in (("@Carol", "carol"), ("CAROL@birds.example", "carol"), ("x@birds.example", None)):
        notes = RequestNotes()
        with pytest.raises(Unauthenticated):
            prove(stage, typed, "wrong", HERE, notes)
        assert notes.account == account


@given(st.text(), st.sampled_from(["", "@"]))
def test_any_text_means_somebody_or_nobody(text: str, sign: str) -> None:
    stage = Stage()
    meant = sign_in_name(stage.users, sign + text)
    assert meant is None or meant.user is None
    assert meant is None or (meant.account == NOBODY) == bool(meant.address)


def test_tries_by_every_spelling_count_for_the_account(stage: Stage) -> None:
    for number in range(10):
        assert outcome(stage, SPELLINGS[number % len(SPELLINGS)], "wrong").startswith("Unauthenticated")
    assert {outcome(stage, typed, SECRET) for typed in SPELLINGS} == {"TooMany "}
    assert sign_in(stage, "carol", source=THERE) == "carol"


@pytest.mark.parametrize("tried", ["carol", "nobody"])
def test_no_refusal_tells_whose_an_address_is(stage: Stage, tried: str) -> None:
    """However often a name is tried, and from wherever, addresses are answered alike."""
    for network in range(12):
        for _ in range(10):
            outcome(stage, tried, "wrong", f"10.1.{network}.1")
    for sources in (("10.1.3.1", "10.1.4.1", "10.1.5.1"), ("10.4.0.1", "10.4.0.2", "10.4.0.3"), ("", "", "")):
        said = [
            [outcome(stage, f"{name}@birds.example", "wrong", source) for _ in range(13)]
            for name, source in zip(("carol", "dave", "nobody"), sources, strict=True)
        ]
        assert said[0] == said[1] == said[2]
        assert said[0][-1] == "TooMany "


@pytest.mark.parametrize("named", ["carol", "nobody"])
def test_an_address_is_refused_like_one_without_an_account(named: str, stage: Stage) -> None:
    said = []
    for name in ("carol", "nobody"):
        for _ in range(9):
            outcome(stage, named, "wrong", f"10.3.{len(said)}.1")
        said.append(
            [outcome(stage, f"{name}@birds.example", "wrong", f"10.3.{len(said)}.1") for _ in range(4)]
        )
    assert said[0] == said[1]
    assert said[0][1:] == ["TooMany "] * 3


def test_an_address_alone_is_limited_as_a_name_is(stage: Stage) -> None:
    for typed in ("carol@birds.example", "nobody@birds.example"):
        said = [outcome(stage, typed, "wrong", f"10.2.{len(typed)}.1") for _ in range(12)]
        assert said[9].startswith("Unauthenticated") and said[10:] == ["TooMany ", "TooMany "]


def test_the_right_password_gives_all_tries_back(stage: Stage) -> None:
    for number in range(30):
        assert sign_in(stage, SPELLINGS[number % len(SPELLINGS)]) == "carol"
        assert sign_in(stage, SPELLINGS[number % len(SPELLINGS)], source="") == "carol"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("space", [" ", "\u00a0", "\u3000"])
def test_a_password_is_one_however_it_is_typed(stage: Stage, form: str, space: str) -> None:
    kept = passwords_of(stage)
    word = unicodedata.normalize(form, f"Größe{space}ñandú")  # type: ignore[arg-type]
    stage.users.change("carol", password=kept.digest(word))
    for typed in ("NFC", "NFD"):
        for other in (" ", "\u2003"):
            spelled = unicodedata.normalize(typed, f"Größe{other}ñandú")  # type: ignore[arg-type]
            assert kept.proves("carol", spelled, HERE)
    for wrong in ("GRÖSSE ñandú", "Größe  ñandú", "Große ñandú", "Größe ñandú "):
        assert not kept.proves("carol", wrong, THERE)


def test_an_older_digest_is_verified_as_it_was_sent_and_replaced(stage: Stage) -> None:
    kept = passwords_of(stage)
    composed, apart = SECRET, unicodedata.normalize("NFD", SECRET)
    stage.users.change("carol", password=kept._hasher.hash(apart))
    assert not kept.proves("carol", composed, HERE)
    assert kept.proves("carol", apart, HERE)
    assert kept.proves("carol", composed, HERE)


def test_a_word_is_composed_within_bounds() -> None:
    marks = "a" + "\u0301\u0316" * LONGEST_COMPARED
    assert opaque_string(marks) == marks
    assert opaque_string("plain ascii\t") == "plain ascii\t"


@given(st.text(max_size=50))
def test_the_normal_form_is_stable_and_the_same_for_all_spellings(word: str) -> None:
    form = opaque_string(word)
    assert opaque_string(form) == form
    assert opaque_string(unicodedata.normalize("NFD", word)) == form
