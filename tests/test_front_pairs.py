"""Requests and answers stay paired through nginx, which keeps connections for all of its clients."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.kit.wire.front import HOST, Site, account, curl, fronted
from tests.kit.wire.streams import PairedConnection, Sent, bodied, named, pieces, requests

pytestmark = pytest.mark.soak

TARGETS = st.sampled_from((
    *("/v1/whoami", "/healthz", "/docs", "/v1/users/nobody/vis/docs/zz/content", "/v1/x/data", "/u/a/j/b"),
    *("/git/a/b.git/info/refs", "/v1/users/nobody/vis/docs/zz/summary"),
))  # fmt: skip
STREAMED = "/v1/users/nobody/vis/docs/zz/content"


def unlimited(site: str) -> str:
    """The site without its rates, to which thousands of requests are sent."""
    return site.replace("rate=50r/s", "rate=100000r/s").replace("rate=30r/m", "rate=100000r/s")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    said = {"PROXIES": "127.0.0.1", "BASE_URL": f"https://{HOST}"}
    with fronted(tmp_path_factory.mktemp("pairs"), unlimited, **said) as site:
        yield site


def for_front(one: Sent) -> Sent:
    """The request, to the host of the front."""
    return one._replace(wire=one.wire.replace(b"Host: curlew", b"Host: " + HOST.encode(), 1))


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), sent=st.lists(requests(odd=False, targets=TARGETS), min_size=1, max_size=5))
def test_each_answer_is_to_its_request(site: Site, data: Any, sent: list[Sent]) -> None:
    framed = [for_front(one) for one in named(sent)]
    stream = data.draw(pieces(b"".join(one.wire for one in framed)))
    with site.opened() as wire:
        found = PairedConnection(wire).ask(stream, framed)
    # A body that nobody wants may end the connection behind its answer.
    assert found
    assert [id for _, id in found] == [f"r{number}" for number in range(len(found))]


class Victim(threading.Thread):
    """Somebody who uses the service meanwhile; `wrong` is what was no answer to their own request."""

    def __init__(self, site: Site, token: str) -> None:
        super().__init__()
        self._site, self._head = site, f"Host: {HOST}\r\nAuthorization: Bearer {token}\r\n"
        self.is_over = threading.Event()
        self.requests, self.wrong = 0, [("", "")][:0]

    def run(self) -> None:
        while not self.is_over.is_set():
            wire = f"GET /v1/whoami HTTP/1.1\r\nX-Request-ID: v{self.requests}\r\n{self._head}\r\n".encode()
            one = Sent("GET", "/v1/whoami", b"", wire, True)
            with self._site.opened() as connection:
                for status, id in PairedConnection(connection).ask([wire], [one]):
                    if (status, id) != (200, f"v{self.requests}"):
                        self.wrong.append((str(status), id))
            self.requests += 1


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "DELETE", "POST", "PUT"])
def test_nobody_is_given_the_rest_of_another_request(site: Site, method: str) -> None:
    token = account(site, f"ann{method.lower()}")
    head = {"Authorization": f"Bearer {token}"}
    lines = [word for name, value in head.items() for word in ("-H", f"{name}: {value}")]
    made = curl("-X", "PUT", *lines, *site.route(), f"https://{HOST}:{site.secure}/v1/vis/docs/secret")
    assert made[0] == 201
    smuggled = b"PUT /v1/vis/docs/secret/shared/public~r HTTP/1.1\r\nX-Ignore: "
    victim = Victim(site, token)
    victim.start()
    try:
        for number in range(40):
            one = bodied(method, STREAMED, smuggled, HOST)
            with site.opened() as wire:
                wire.sendall(one.wire[: -len(smuggled)])
                time.sleep(number % 8 * 0.0003)
                PairedConnection(wire).ask([smuggled], [one])
    finally:
        victim.is_over.set()
        victim.join()
    assert victim.requests
    assert victim.wrong == []
    path = f"https://{HOST}:{site.secure}/v1/vis/docs/secret/shared"
    assert "public" not in curl(*lines, *site.route(), path)[1]


def test_a_read_with_a_body_is_refused(site: Site) -> None:
    for path in (STREAMED, "/v1/whoami", "/git/a/b.git/info/refs", "/v1/users/nobody/code/jobs/j/data"):
        sent = ("-X", "GET", "--data-binary", "x", *site.route(), f"https://{HOST}:{site.secure}{path}")
        assert curl(*sent)[0] == 400


def test_the_cache_of_the_comment_gives_public_things_alone(tmp_path: Any) -> None:
    def cached(site: str) -> str:
        above, *inside = re.findall(r"^    #   (proxy_.*;)$", site, re.MULTILINE)
        inside.append("add_header X-Cache $upstream_cache_status;")
        site = unlimited(site).replace("location / {", "location / {\n" + "\n".join(inside), 1)
        return above.replace("/var/cache/nginx", str(tmp_path)) + site

    with fronted(tmp_path, cached, PROXIES="127.0.0.1", BASE_URL=f"https://{HOST}") as site:
        token = account(site, "ann")
        url = f"https://{HOST}:{site.secure}/v1"

        def ask(*words: str) -> tuple[int, str]:
            return curl("-D", "-", *words, *site.route())

        mine = ("-H", f"Authorization: Bearer {token}")
        text = (*mine, "-H", "Content-Type: text/plain")
        ask(*text, "-d", "yes", f"{url}/admin/profile/public")
        for path in ("vis/docs/open", "vis/docs/open/shared/public~r"):
            assert ask(*mine, "-X", "PUT", f"{url}/{path}")[0] == 201
        ask(*text, "-d", "words", f"{url}/vis/docs/open/summary")
        public = f"{url}/users/ann/vis/docs/open/summary"
        said = [ask(public) for _ in range(3)]
        assert [status for status, _ in said] == [200] * 3
        assert "x-cache: HIT" in said[-1][1] and said[-1][1].endswith("words")
        for _ in range(2):
            assert "x-cache: HIT" not in ask(*mine, public)[1]
        ask(*mine, "-X", "DELETE", f"{url}/vis/docs/open/shared/public~r")
        time.sleep(2.1)
        assert ask(public)[0] in (401, 404)
