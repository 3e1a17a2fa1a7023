"""Whether requirements need other files of their repository, which pip's own reader decides in the end."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.builds.packages import GREATEST, names_files

PLAIN = (
    *("six", "six==1.16.0", "six >= 1, <2 ; python_version < '3'", "requests[socks,security]>=2", "a (>=1)"),
    *(
        "torch==2.0+cu118",
        "zope.interface",
        "a==1.*",
        "a===1",
        "pkg @ https://x.y/z.whl",
        "https://x.y/z.whl",
    ),
    *("pkg@git+https://g/h.git@v1#egg=x", "git+ssh://git@h/x.git", "--index-url https://x/simple"),
    *(
        "-i=https://x",
        "--pre",
        "--no-binary :all:",
        "--pre --extra-index-url https://x",
        "six --hash=sha256:abc",
    ),
    *("six \\\n  --hash=sha256:abc \\\n  --hash=sha256:def", "# -r x.txt", "six # -r x", "# foo \\\nsix", ""),
)
FILES = (
    *("-r x.txt", "-rx.txt", "--requirement=x", "--requirement x", "-c c.txt", "--constraint=c", "-e ."),
    *("-e./x", "--editable=.", "--editable git+https://x/y", "./x", ".", ".[dev]", "x/y", "../z", "/abs"),
    *(
        "file:./x",
        "pkg @ file:./x",
        "pkg@./x",
        "foo-1.0.whl",
        "foo-1.0.tar.gz",
        "foo.zip[extra]",
        "-f wheels",
    ),
    *("--find-links=wheels", "-\\\nr x", "six \\\n# c\n-r x", "${X}", "--extra-index-url ./simple"),
    *("-i file:///x", "six --hash=$X", "# foo \\\n-r x", "git+file:///x", "  -r x", "\t-c\tx"),
)


@given(
    st.lists(st.sampled_from(PLAIN)),
    st.lists(st.sampled_from(FILES)),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
    st.booleans(),
    st.randoms(),
)
def test_a_file_is_named_by_one_line_at_least(
    plain: list[str], files: list[str], end: str, marked: bool, chance: object
) -> None:
    lines = [*plain, *files]
    chance.shuffle(lines)  # type: ignore[attr-defined]
    inside = "\r\n" if end == "\r\n" else "\n"
    text = end.join(line.replace("\n", inside) for line in lines) + end
    assert names_files(text.encode("utf-8-sig" if marked else "utf-8")) is bool(files)


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data: bytes) -> None:
    assert names_files(data) in (True, False)


@pytest.mark.parametrize(
    "line",
    [
        *("a" + " " * 4000 + "-", "a" + "; " * 3900, "a" + "=a " * 2600, "--pre " * 1300 + "x"),
        *("a" + " --hash=x" * 800 + " $", "a;" + " --hash=x" * 800 + " $", "a" * 9000),
    ],
)
def test_long_lines_are_read_at_once(line: str) -> None:
    began = time.process_time()
    names_files(f"{line}\n".encode() * 50)
    assert time.process_time() - began < 2


def test_a_huge_file_is_not_read() -> None:
    assert names_files(b"#" * (GREATEST + 1))
    assert names_files(b"six \\") is False
