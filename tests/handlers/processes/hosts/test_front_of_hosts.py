"""The site and the upstream that are handed out for several web servers, in front of two."""

from __future__ import annotations

import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.kit.hosts.shared import shared_parts
from tests.kit.hosts.webs import Webs, two_webs
from tests.kit.postgres import Postgres
from tests.kit.processes import free_port
from tests.kit.sources import ROOT
from tests.kit.wire.certificate import make_certificate
from tests.kit.wire.front import HOST, configure, curl
from tests.kit.world import migrate

pytestmark = [pytest.mark.repeats, pytest.mark.postgres]

CLIENTS = [f"127.0.0.{number}" for number in range(10, 34)]
SECONDS = 30.0


class Front:
    """The site that Curlew hands out; clients are distinguished by addresses of this host."""

    def __init__(self, webs: Webs, secure: int) -> None:
        self.webs = webs
        self._secure = secure

    def ask(self, client: str) -> tuple[int, str]:
        """Status of an answer, and the port of the server that gave it."""
        way = ("-k", "--connect-to", f"{HOST}:{self._secure}:127.0.0.1:{self._secure}", "--interface", client)
        status, said = curl("-D", "-", *way, f"https://{HOST}:{self._secure}/healthz")
        upstream = re.search(r"x-upstream: .*127\.0\.0\.1:(\d+)", said)
        return status, upstream[1] if upstream else ""


@pytest.fixture
def front(postgres: Postgres, tmp_path: Path) -> Iterator[Front]:
    with ExitStack() as stack:
        shared = stack.enter_context(shared_parts(tmp_path, postgres, migrate))
        webs = stack.enter_context(two_webs(tmp_path, {**shared, "BASE_URL": f"https://{HOST}"}))

        def change(site: str) -> str:
            said = (ROOT / "deploy" / "hosts" / "upstream.conf").read_text()
            for name, port in zip(("app1", "app2"), webs.ports, strict=True):
                assert f"{name}.example:8000" in said
                said = said.replace(f"{name}.example:8000", f"127.0.0.1:{port}")
            changed, times = re.subn(
                r"^upstream curlew \{.*?^\}$", said, site, flags=re.MULTILINE | re.DOTALL
            )
            assert times == 1
            return changed.replace(
                "server_tokens off;", "server_tokens off; add_header X-Upstream $upstream_addr;"
            )

        folder, plain, secure = tmp_path / "front", free_port(), free_port()
        folder.mkdir()
        make_certificate(folder / "fullchain.pem", folder / "privkey.pem", HOST)
        whole = configure(folder, 0, plain, secure, change)
        subprocess.run(["nginx", "-t", "-q", "-c", whole], check=True)
        nginx = stack.enter_context(subprocess.Popen(["nginx", "-c", whole]))
        stack.callback(nginx.terminate)
        front, until = Front(webs, secure), time.monotonic() + SECONDS
        while front.ask(CLIENTS[0])[0] != 200:
            assert time.monotonic() < until, (folder / "error.log").read_text()
            time.sleep(0.1)
        yield front


def test_a_client_stays_with_one_server_while_that_answers(front: Front) -> None:
    first = {client: front.ask(client) for client in CLIENTS}
    assert {status for status, _ in first.values()} == {200}
    for _ in range(2):
        assert {client: front.ask(client) for client in CLIENTS} == first
    spread = Counter(port for _, port in first.values())
    assert set(spread) == {str(port) for port in front.webs.ports}, spread
    front.webs.kill(0)
    gone, left = (str(port) for port in front.webs.ports)
    for client in CLIENTS:
        status, port = front.ask(client)
        assert (status, port) == (200, left), client
        assert first[client][1] in (gone, left)
