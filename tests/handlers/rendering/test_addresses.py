"""A drawing that names an address fetches nothing: no library requests it, and the process could not."""

import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
import requests

PROGRAM = """
import sys
from handlers.rendering.confinement import confine, readable_folders

address = sys.argv[1]
if sys.argv[2] == "confined":
    confine(readable_folders(), 1)
from handlers.render.documents.pdf.paper import drawing_pdf
from handlers.render.plots.forms.drawing import png

picture = f'<image href="{address}/a.png" width="9" height="9"/><use href="{address}/b.svg#c"/>'
style = f"<style>@import url({address}/c.css); rect {{ fill: url({address}/d.svg#e) }}</style>"
size = 'width="9" height="9" viewBox="0 0 9 9"'
svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{style}{picture}<rect width="9" height="9"/></svg>'
png(svg)
drawing_pdf(svg, "")
print("tried")
"""


@pytest.fixture(scope="module")
def listener() -> Iterator[tuple[str, list[str]]]:
    """Yield the address of a server and the list of requested paths."""
    paths: list[str] = []

    class PathRecorder(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *words: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), PathRecorder) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", paths
        server.shutdown()


@pytest.mark.parametrize("confined", ["confined", "free"])
def test_nothing_is_fetched(listener: tuple[str, list[str]], confined: str) -> None:
    address, paths = listener
    tried = subprocess.run(
        [sys.executable, "-c", PROGRAM, address, confined],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (tried.stdout, tried.returncode) == ("tried\n", 0), tried.stderr
    assert paths == []


def test_the_listener_hears_those_who_fetch(listener: tuple[str, list[str]]) -> None:
    address, paths = listener
    requests.get(f"{address}/a.png", timeout=10)
    assert paths == ["/a.png"]
