"""The page that asks about an application, in a browser: it leads back to it, and nowhere else."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from tests.handlers.pages.web_user import Owner, WebUser


class _Callback(BaseHTTPRequestHandler):
    """The page of a program on the person's own computer."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>back</title><link rel=icon href=data:,><main>You may close this.</main>")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def callback() -> Iterator[str]:
    """The address of a program that waits for its answer."""
    server = HTTPServer(("127.0.0.1", 0), _Callback)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://localhost:{server.server_port}/callback"
    server.shutdown()
    thread.join()
    server.server_close()


def page(callback: str, **more: str) -> str:
    query = {
        "client_id": "novem-cli",
        "redirect_uri": callback,
        "response_type": "code",
        "state": "xyz",
        "code_challenge": "c" * 43,
        "code_challenge_method": "S256",
    }
    return f"/oauth/authorize?{urlencode({**query, **more})}"


@pytest.mark.parametrize(("word", "key"), [("approve", "code"), ("refuse", "error")])
def test_each_answer_leads_back(web_user: WebUser, owner: Owner, callback: str, word: str, key: str) -> None:
    web_user.open(page(callback))
    web_user.sign_in(owner.name)
    assert "Connect “Command line”?" in web_user.text()
    web_user.press(f"button[value={word}]")
    found = parse_qs(urlsplit(web_user.page.url).query)
    assert web_user.page.url.startswith(callback)
    assert (found["state"], key in found) == (["xyz"], True)


def test_a_code_to_copy_is_shown(web_user: WebUser, owner: Owner) -> None:
    web_user.open(page("urn:ietf:wg:oauth:2.0:oob", scope="read"))
    web_user.sign_in(owner.name)
    assert "read the visualisations" in web_user.text()
    web_user.press("button[value=approve]")
    assert web_user.page.inner_text("#code").startswith("clw_")


@pytest.mark.parametrize("wrong", [{"client_id": "nobody"}, {"redirect_uri": "https://evil.example/"}])
def test_an_unknown_application_is_an_error_page_of_this_site(
    web_user: WebUser, owner: Owner, callback: str, wrong: dict[str, str]
) -> None:
    web_user.sign_in(owner.name)
    assert web_user.open(page(callback, **wrong)) == 400
    assert web_user.page.url.startswith(web_user.server.origin)
