"""Every place that takes a password asks for the second factor; and its use is reported."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from datetime import timedelta
from urllib.parse import urlencode

import pytest

from handlers.identity.credentials import digest, fresh
from handlers.identity.identify import PROVING, credentials_of
from handlers.trees import ROOT
from tests.kit.client import Answer
from tests.kit.service import Application
from vfs.ports.clock import stamp
from vfs.tree import Tree

CODES = ("aaaa-bbbb-cccc-dddd", "eeee-ffff-gggg-hhhh")
PLACES = [str(path) for path, credential in credentials_of(Tree(ROOT)).items() if credential in PROVING]
JSON = ("Content-Type", "application/json")
TICKET = re.compile(r'name="ticket" value="([^"]+)"')


class Fay:
    """A user with a second factor."""

    def __init__(self, service: Application) -> None:
        self.service = service
        service.user("fay", "verified")
        service.arrange("second-factor", ["fay", *CODES], [])
        pair = f"fay:{service.password('fay')}"
        self.basic = ("Authorization", "Basic " + base64.b64encode(pair.encode()).decode())

    def post(self, place: str, headers: Sequence[tuple[str, str]], **sent: str) -> tuple[int, object]:
        body = json.dumps(sent).encode()
        answer = self.service.call("POST", place, [JSON, *headers], body)
        return answer.status, json.loads(answer.body).get("needs") if answer.status >= 400 else None


@pytest.fixture
def fay(service: Application) -> Fay:
    return Fay(service)


def test_the_places_are_all_known() -> None:
    assert sorted(PLACES) == ["/v1/admin/profile/password", "/v1/auth", "/v1/token"]


@pytest.mark.parametrize("place", PLACES)
def test_no_place_is_opened_by_a_password_alone(fay: Fay, place: str) -> None:
    new = {"new_password": "another eleven birds"} if place.endswith("password") else {}
    password = fay.service.password("fay")
    bearer = [] if not new else [("Authorization", f"Bearer {fay.service.user('fay')}")]
    named = {} if new else {"username": "fay"}
    assert fay.post(place, [fay.basic], **new) == (401, "code")
    assert fay.post(place, [fay.basic, ("X-OTP", "000000")], **new) == (401, "code")
    assert fay.post(place, bearer, password=password, **named, **new) == (403, "code")
    assert fay.post(place, bearer, password=password, code="000000", **named, **new) == (403, "code")
    assert fay.post(place, bearer, password="wrong", code=CODES[0], **named, **new)[1] is None
    assert fay.post(place, [fay.basic, ("X-OTP", CODES[0])], **new)[0] in (200, 201)


def test_a_used_recovery_code_is_mailed_and_logged(fay: Fay) -> None:
    folder = fay.service.world.service.settings.folder
    fay.post("/v1/auth", [fay.basic, ("X-OTP", CODES[0])])
    letters = "".join(path.read_text() for path in (folder / "outbox").glob("*"))
    assert "A recovery code was used, and 1 are left" in letters and CODES[0] not in letters


def test_after_many_wrong_codes_the_page_still_takes_one(fay: Fay) -> None:
    form = [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "text/html")]

    def sent(*headers: tuple[str, str], **fields: str) -> Answer:
        return fay.service.call("POST", "/login", [*form, *headers], urlencode(fields).encode())

    first = sent(username="fay", password=fay.service.password("fay"))
    cookie = first.headers["set-cookie"].partition(";")[0]
    ticket = TICKET.findall(first.body.decode())[0]
    for number in range(12):
        last = sent(("Cookie", cookie), ticket=ticket, second_code=f"{number:06}")
    said = last.body.decode()
    assert (last.status, TICKET.findall(said)) == (429, [ticket])
    assert "Too many failed sign-ins: wait" in said


def test_a_forgotten_password_leaves_the_second_factor(fay: Fay) -> None:
    world, code = fay.service.world, fresh()
    now = world.service.deadlines.now()
    ends = {"asker": "", "now": stamp(now), "expires_on": stamp(now + timedelta(minutes=1))}
    world.people.resets.add(digest(code), "fay", "fay@birds.example", **ends)
    assert fay.post("/v1/admin/reset", [], code=code, new_password="another eleven birds")[0] == 200
    again = {"username": "fay", "password": "another eleven birds"}
    assert fay.post("/v1/auth", [], **again) == (403, "code")
    assert fay.post("/v1/auth", [], **again, code=CODES[1])[0] == 200


def test_an_export_has_no_secret(fay: Fay) -> None:
    answer = fay.service.call(
        *("GET", "/v1/admin/second_factor/factors"),
        [("Authorization", f"Bearer {fay.service.user('fay')}")],
        b"",
    )
    assert b"phone" in answer.body and b"JBSWY3DP" not in answer.body and b'"1.' not in answer.body
