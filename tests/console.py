"""Console blocks of a document: the commands that are typed, what is shown of their output, and a shell for
them.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ELLIPSIS = "…"
MARK = "--- the command ended with"


@dataclass(frozen=True, slots=True)
class Command:
    """What is typed behind `$ ` (and `> ` on further lines), and the lines that are shown below it."""

    typed: str
    shown: tuple[str, ...]

    def differs(self, printed: str) -> str | None:
        """How `printed` is not what is shown; None when it is.

        `…` stands for anything within a line, alone in a line for any lines.
        """
        lines = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
        pattern = "".join(_pattern(line) for line in self.shown)
        if re.fullmatch(pattern, lines):
            return None
        return f"$ {self.typed}\n--- shown:\n" + "\n".join(self.shown) + f"\n--- printed:\n{lines}"


def _pattern(line: str) -> str:
    if line == ELLIPSIS:
        return r"(?:.*\n)*?"
    return ".*?".join(re.escape(part.rstrip()) for part in line.split(ELLIPSIS)) + r"\n" if line else r"\n"


def commands(text: str) -> Iterator[Command]:
    """The commands of all console blocks, in order."""
    for block in BLOCK.findall(text):
        typed: list[str] = []
        shown: list[str] = []
        for line in block.splitlines():
            if line.startswith("$ "):
                if typed:
                    yield Command("\n".join(typed), tuple(shown))
                typed, shown = [line[2:]], []
            elif line == ">" or line.startswith("> "):
                typed.append(line[2:])
            else:
                shown.append(line)
        yield Command("\n".join(typed), tuple(shown))


class Shell:
    """One bash, in which commands are run one after the other."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            ["bash"],
            cwd=folder,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, typed: str) -> tuple[int, str]:
        """The exit code of a command, and what it printed on both of its outputs.

        Its input is empty: what bash has yet to read is not for it.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{{ {typed}\n}} </dev/null\nprintf '\\n%s %s\\n' '{MARK}' $?\n")
        self._process.stdin.flush()
        lines: list[str] = []
        for line in self._process.stdout:
            if line.startswith(MARK):
                return int(line.split()[-1]), "".join(lines).removesuffix("\n")
            lines.append(line)
        raise EOFError(f"the shell ended at: {typed}\n{''.join(lines)}")

    def close(self) -> None:
        """End the shell."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
