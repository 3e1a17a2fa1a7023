"""What a refusal tells curl's users to type is typed literally."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from tests.handlers.small_kernel import Kernel


class Silent(WSGIRequestHandler):
    """A request handler that logs nothing."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(app: Any) -> Iterator[str]:
    with make_server("127.0.0.1", 0, app, handler_class=Silent) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


def curl(*words: str) -> str:
    done = subprocess.run(["curl", "-s", *words], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


@pytest.mark.parametrize(("name", "sent"), [("text", "yes\nno"), ("data", '{"a":\n1}')])
def test_the_advice_for_a_form_works_in_place_of_the_flag_that_it_names(
    kernel: Kernel, app: Any, name: str, sent: str
) -> None:
    with serving(app) as root:
        refused = curl("-H", "Accept: text/plain", "-d", sent, f"{root}/{name}")
        advice = re.search(r"instead of -d use (.*)", refused)
        assert advice, refused
        said = curl(*shlex.split(advice[1]), sent, f"{root}/{name}")
    assert json.loads(said) == {"a": 1} if name == "data" else kernel.stored == sent
