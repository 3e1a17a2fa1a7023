"""The log of a container, read while it is written."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import NamedTemporaryFile

from hypothesis import given
from hypothesis import strategies as st

from chains.engine.port import Line
from chains.podman.log_tail import LONGEST, LogTail

TIME = b"2026-11-21T05:46:54.060872360+00:00"


def record(text: bytes, kind: bytes = b"F", stream: bytes = b"stdout") -> bytes:
    return b" ".join([TIME, stream, kind, text]) + b"\n"


def test_lines_come_as_they_are_appended(tmp_path: Path) -> None:
    log = tmp_path / "ctr.log"
    tail = LogTail(log)
    assert list(tail.read()) == []
    with log.open("ab", buffering=0) as file:
        file.write(record(b"one") + record(b"two")[:-4])
        assert list(tail.read()) == [Line("2026-11-21T05:46:54.060Z", "stdout", "one")]
        file.write(record(b"two")[-4:])
        assert [line.text for line in tail.read()] == ["two"]
        assert list(tail.read()) == []
    assert tail.size == len("one\ntwo\n")
    tail.close()


def test_a_time_of_another_zone_is_shown_in_utc(tmp_path: Path) -> None:
    log = tmp_path / "ctr.log"
    log.write_bytes(b"2026-11-21T07:46:54.999999999+02:00 stderr F x\n")
    tail = LogTail(log)
    assert list(tail.read()) == [Line("2026-11-21T05:46:54.999Z", "stderr", "x")]
    tail.close()


def test_parts_are_put_together_for_each_stream(tmp_path: Path) -> None:
    log = tmp_path / "ctr.log"
    log.write_bytes(
        record(b"a", b"P") + record(b"x", b"P", b"stderr") + record(b"b") + record(b"", b"F", b"stderr")
    )
    tail = LogTail(log)
    assert [(line.stream, line.text) for line in tail.read()] == [("stdout", "ab"), ("stderr", "x")]
    tail.close()


def test_an_endless_line_is_returned_in_pieces(tmp_path: Path) -> None:
    log = tmp_path / "ctr.log"
    log.write_bytes(record(b"y" * 8192, b"P") * 20)
    tail = LogTail(log)
    pieces = [line.text for line in tail.read()]
    assert [len(piece) for piece in pieces] == [LONGEST, LONGEST]
    assert sum(len(line.text) for line in tail.finish()) == 20 * 8192 - 2 * LONGEST
    tail.close()


def test_the_end_tells_what_has_no_end(tmp_path: Path) -> None:
    log = tmp_path / "ctr.log"
    log.write_bytes(record(b"cut", b"P") + record(b"torn", b"F", b"stderr")[:-1] + b"")
    tail = LogTail(log)
    assert list(tail.read()) == []
    assert sorted(line.text for line in tail.finish()) == ["cut", "torn"]
    tail.close()


def test_a_replaced_file_is_noticed(tmp_path: Path) -> None:
    log = tmp_path / "ctr.log"
    tail = LogTail(log)
    assert not tail.replaced
    log.write_bytes(record(b"old"))
    assert list(tail.read())
    assert not tail.replaced
    new = tmp_path / "new"
    new.write_bytes(b"")
    new.rename(log)
    assert tail.replaced
    log.unlink()
    assert not tail.replaced
    tail.close()


@given(st.lists(st.binary(max_size=30).map(lambda b: b.translate(None, b"\r\n")), max_size=20), st.data())
def test_however_it_is_cut_the_same_lines_come_out(
    tmp_path_factory: object, texts: list[bytes], data: st.DataObject
) -> None:
    log = tmp_path_factory.mktemp("log") / "ctr.log"  # type: ignore[attr-defined]
    whole = b"".join(record(text) for text in texts)
    lines: list[str] = []
    with closing(LogTail(log)) as tail, log.open("ab", buffering=0) as file:
        while whole:
            count = data.draw(st.integers(1, len(whole)))
            file.write(whole[:count])
            whole = whole[count:]
            lines += [line.text for line in tail.read()]
        lines += [line.text for line in tail.finish()]
    assert lines == [text.decode(errors="replace").replace("\0", "\ufffd") for text in texts]


def test_of_a_progress_bar_the_last_state_is_kept(tmp_path: Path) -> None:
    log = tmp_path / "ctr.log"
    bars = [record(f"\r{percent:3d}%|{'#' * percent}".encode(), b"P") for percent in range(0, 101, 5)]
    log.write_bytes(
        b"".join(bars) + record(b"\r") + record(b"windows\r") + record(b"a\rb\r\r") + record(b"\r")
    )
    tail = LogTail(log)
    assert [line.text for line in tail.read()] == [f"100%|{'#' * 100}", "windows", "b", ""]
    tail.close()


@given(st.lists(st.tuples(st.text("ab\r", max_size=5), st.booleans()), max_size=12))
def test_a_line_is_what_a_terminal_would_show_last(pieces: list[tuple[str, bool]]) -> None:
    """However a line is cut into records: the last text between carriage returns."""
    with NamedTemporaryFile() as log:
        log.write(b"".join(record(text.encode(), b"F" if ends else b"P") for text, ends in pieces))
        log.flush()
        lines = "".join(text + "\n" * ends for text, ends in pieces).split("\n")
        with closing(LogTail(Path(log.name))) as tail:
            found = [line.text for line in tail.finish()]
    shown = [next((one for one in reversed(line.split("\r")) if one), "") for line in lines]
    assert found[: len(lines) - 1] == shown[:-1]
    assert found[len(lines) - 1 :] in ([], [shown[-1]])
