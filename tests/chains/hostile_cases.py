"""The hostile recipes of tests/chains/hostile_builds, with what stands at their heads."""

from __future__ import annotations

import re
import tarfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

CORPUS = Path(__file__).with_name("hostile_builds")


@dataclass(frozen=True)
class Case:
    """A hostile recipe with the words at its head that say what it needs and how it may end."""

    name: str
    text: str

    def words(self, key: str) -> list[str]:
        """What the lines of that key say."""
        return re.findall(rf"^# {key}: (.*)$", self.text, re.MULTILINE)

    def populate(self, context: Path) -> None:
        """Write what is built into a folder."""
        (context / "Dockerfile").write_text(self.text)
        for link in self.words("Link"):
            place, _, target = link.partition(" -> ")
            (context / place).symlink_to(target)
        for file in self.words("File"):
            place, _, text = file.partition(" = ")
            (context / place).write_text(text.replace("\\n", "\n"))
        for name in self.words("Copy"):
            (context / name).write_bytes((CORPUS / f"{name}.txt").read_bytes())
        for name in self.words("Tar"):
            (context / name).write_bytes(climbing_archive())


def names() -> list[str]:
    """The names of all cases."""
    return sorted(file.stem for file in CORPUS.glob("*.dockerfile"))


def cases(words: dict[str, str]) -> dict[str, Case]:
    """All cases, with `words` in their places."""
    texts = {name: (CORPUS / f"{name}.dockerfile").read_text() for name in names()}
    return {
        name: Case(name, re.sub(r"%([A-Z_]+)%", lambda word: words[word[1]], text))
        for name, text in texts.items()
    }


def climbing_archive() -> bytes:
    """A tar file whose entries lead out of the folder where it is unpacked."""
    made = BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/"
        archive.addfile(link)
        for name in ("../../../../written", "/written-absolute", "link/written-behind-a-link", "device"):
            entry = tarfile.TarInfo(name)
            entry.mode, entry.size = 0o6755, 7
            if name == "device":
                entry.type, entry.size, entry.devmajor = tarfile.BLKTYPE, 0, 8
            archive.addfile(entry, BytesIO(b"written"))
    return made.getvalue()
