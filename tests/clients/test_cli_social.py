"""The published command line on variables and comments: the first are copied, the others stay."""

from __future__ import annotations

from pathlib import Path

from tests.clients.test_cli import Novem, novem

__all__ = ["novem"]


def test_variables_are_dumped_and_loaded_and_comments_left_alone(novem: Novem, tmp_path: Path) -> None:
    novem("-d", "one", "-C")
    me = novem("--get", "whoami").strip()
    novem("--put", "vis/docs/one/vars/growth")
    novem("--post", "vis/docs/one/vars/growth/value", "0.5")
    novem("--post", "vis/docs/one/vars/growth/type", "relative")
    novem("--put", "vis/docs/one/threads/start")
    novem("--post", f"vis/docs/one/threads/@{me}~start/msg", "hello")
    dump = tmp_path / "dump"
    novem("-d", "one", "--dump", str(dump))
    kept = {str(path.relative_to(dump)) for path in dump.rglob("*") if path.is_file()}
    assert {"vars/growth/value", "vars/growth/type"} <= kept
    assert not [name for name in kept if name.startswith("threads")]
    novem("-d", "two", "-C")
    novem("-d", "two", "--load", str(dump))
    assert novem("--get", "vis/docs/two/vars/growth/value").strip() == "0.5"
    assert novem("--get", f"u/{me}/d/two/v/growth/txt").strip() == "0"
    (dump / "vars" / "growth" / "value").write_text("1.5")
    novem("-d", "one", "--load", str(dump))
    assert novem("--get", "vis/docs/one/vars/growth/value").strip() == "1.5"
    assert novem("--get", f"vis/docs/one/threads/@{me}~start/msg").strip() == "hello"
