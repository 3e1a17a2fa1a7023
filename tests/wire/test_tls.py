"""The session of a browser that comes through TLS."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from handlers.settings.sources import load
from tests.kit.client import Answer
from tests.kit.service import Application, open_service
from tests.wire.conftest import QUICK

ORIGIN = "https://curlew.example"
BROWSER = [("Accept", "text/html"), ("Origin", ORIGIN)]
FORM = ("Content-Type", "application/x-www-form-urlencoded")


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[Application]:
    """The service at an address of TLS."""
    with open_service(load({}, data=str(tmp_path), base_url=ORIGIN, registration="open", **QUICK)) as service:
        yield service


def sign_in(service: Application, name: str) -> tuple[str, str]:
    """The name and value of the cookie that the sign-in page gives."""
    service.user(name)
    typed = urlencode({"username": name, "password": service.password(name)}).encode()
    answer = service.call("POST", "/login", [*BROWSER, FORM], typed)
    kept, _, traits = answer.headers["set-cookie"].partition("; ")
    assert (answer.status, traits) == (303, "Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure")
    return kept.partition("=")[0], kept.partition("=")[2]


def whoami(service: Application, cookie: str) -> Answer:
    return service.call("GET", "/v1/whoami", [("Cookie", cookie)], b"")


def test_a_neighbour_cannot_put_its_own_session_in_the_place_of_another(secure: Application) -> None:
    (name, alice), (_, mallory) = sign_in(secure, "alice"), sign_in(secure, "mallory")
    assert name == "__Host-curlew_session"
    assert whoami(secure, f"{name}={alice}").body == b"alice"
    assert whoami(secure, f"curlew_session={mallory}; {name}={alice}").body == b"alice"
    assert whoami(secure, f"curlew_session={mallory}").status == 401
    page = secure.call("GET", "/login", [*BROWSER, ("Cookie", f"curlew_session={mallory}")], b"")
    assert (page.status, b"@mallory" in page.body) == (200, False)


def test_tls_is_kept_on_and_the_cookie_is_taken_back_by_its_name(secure: Application) -> None:
    name, value = sign_in(secure, "alice")
    headers = [("Cookie", f"{name}={value}"), ("Sec-Fetch-Site", "same-origin")]
    answer = secure.call("POST", "/v1/logout", headers, b"")
    assert answer.status == 200
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
    assert answer.headers["set-cookie"].startswith(f"{name}=; Path=/; Max-Age=0;")
    assert answer.headers["set-cookie"].endswith("; Secure")
    assert whoami(secure, f"{name}={value}").status == 401
