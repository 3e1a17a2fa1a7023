"""A PDF that cannot be drawn just now is refused, and curl comes again until it can be."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

from tests.kit.server import rendering, web


def test_a_pdf_that_cannot_be_drawn_just_now_is_refused_and_fetched_by_a_retry(tmp_path: Path) -> None:
    """Without `--fail` the refusal is what is written to the file, so it has to be one for programs, too."""
    data, file = tmp_path / "data", tmp_path / "doc.pdf"
    with web(data) as server:
        token = server.add("alice")
        server.ask("PUT", "vis/docs/report", who="alice")
        server.ask("POST", "vis/docs/report/content", b"# The week\n\n18 birds were seen.\n", "alice")

        def curl(*words: str) -> subprocess.CompletedProcess[str]:
            head = ["-sS", "--noproxy", "*", "-H", f"Authorization: Bearer {token}", "-o", str(file)]
            command = ["curl", *head, *words, f"{server.root}vis/docs/report/files/doc.pdf"]
            return subprocess.run(command, capture_output=True, text=True, check=False)

        output = curl("-w", "%{http_code} %{content_type} %header{retry-after}").stdout
        assert output == "503 application/problem+json 2"
        assert "nothing can be rendered now: " in file.read_text()
        file.unlink()
        assert curl("--fail").returncode == 22
        assert not file.exists()

        came: list[subprocess.CompletedProcess[str]] = []
        waiting = threading.Thread(target=lambda: came.append(curl("--fail", "--retry", "20")))
        waiting.start()
        with rendering(data):
            waiting.join()
    assert came[0].returncode == 0, came[0].stderr
    assert file.read_bytes().startswith(b"%PDF-")
