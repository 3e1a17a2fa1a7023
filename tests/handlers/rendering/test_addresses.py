"""A drawing that names an address fetches nothing: the compiler may not, and the process cannot."""

import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

PROGRAM = """
import sys
from handlers.rendering.confinement import confine, readable_folders

address, confined, allowed = sys.argv[1], sys.argv[2] == "confined", None if sys.argv[3] == "any" else []
if confined:
    confine(readable_folders(), 1)
import vl_convert

data = {"data": {"url": address + "/data.csv"}, "mark": "bar", "encoding": {"x": {"field": "a"}}}
image = {
    "data": {"values": [{"a": 1, "picture": address + "/picture.png"}]},
    "mark": {"type": "image", "width": 9, "height": 9},
    "encoding": {"x": {"field": "a"}, "url": {"field": "picture"}},
}
picture = f'<image href="{address}/a.png" width="9" height="9"/>'
picture = f'<svg xmlns="http://www.w3.org/2000/svg">{picture}</svg>'

def compile(spec):
    vl_convert.vegalite_to_svg(spec, "6.4", allowed_base_urls=allowed)

acts = [lambda: compile(data), lambda: compile(image)]
if allowed is None:
    # Pixels and pages are set without a list of addresses.
    acts += [lambda: vl_convert.svg_to_png(picture), lambda: vl_convert.svg_to_pdf(picture)]
for act in acts:
    try:
        act()
    except ValueError:
        pass
print("tried")
"""


@pytest.fixture(scope="module")
def listener() -> Iterator[tuple[str, list[str]]]:
    """The address of a server, and the paths that it was asked for."""
    paths: list[str] = []

    class Asked(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *words: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Asked) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", paths
        server.shutdown()


@pytest.mark.parametrize("confined,allowed", [("confined", "any"), ("free", "none")])
def test_nothing_is_fetched(listener: tuple[str, list[str]], confined: str, allowed: str) -> None:
    address, paths = listener
    tried = subprocess.run(
        [sys.executable, "-c", PROGRAM, address, confined, allowed],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (tried.stdout, tried.returncode) == ("tried\n", 0), tried.stderr
    assert paths == []


def test_the_listener_hears_those_who_may_fetch(listener: tuple[str, list[str]]) -> None:
    address, paths = listener
    subprocess.run([sys.executable, "-c", PROGRAM, address, "free", "any"], check=True, timeout=120)
    assert {"/data.csv", "/a.png"} <= set(paths)
