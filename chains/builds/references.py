"""References of the chain language in a Dockerfile: their positions, and the names that replace them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from chains.builds.recipe_words import Word, WorkingFolders, flags, heredocs, instructions, target_of
from chains.engine.port import BuildFailed
from chains.language.ast import RepoRef, reference

MOST, MOST_MOUNTS = 16, 1_000
PREFIX = "curlew.invalid/image"

_NAMED = re.compile(rf"{re.escape(PREFIX)}:[A-Za-z0-9_][A-Za-z0-9_.-]*")
_FROM = re.compile(r"--from=(?P<ref>.+)")
_MOUNT = re.compile(r"--mount=(?:[^,]*+,)*from=(?P<ref>[^,]++)(?:,(?!from=)[^,]*+)*+")
_FLAGS = {"COPY": _FROM, "ADD": _FROM, "RUN": _MOUNT}
_DEFAULT = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<quote>[\"']?)(?P<ref>[^\"']+)(?P=quote)")
_VARIABLE = re.compile(r"\$(?:(?P<plain>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\})")


@dataclass(frozen=True, slots=True)
class Mention:
    """A word of a recipe that names the image of a repo."""

    word: Word
    ref: RepoRef


@dataclass(frozen=True, slots=True)
class ResolvedRecipe:
    """A recipe as a builder reads it.

    `images`: the engine's ids, by the names that replace the references in `text`. `spellings`: the original
    references, by the same names.
    """

    text: str
    images: Mapping[str, str]
    spellings: Mapping[str, str]

    def translate(self, line: str) -> str:
        """Return a line of the build's log with the references as the author wrote them."""
        return _NAMED.sub(lambda name: self.spellings.get(name[0], name[0]), line)


def resolve_references(
    text: str, taken: Collection[str], find: Callable[[RepoRef], str | None]
) -> ResolvedRecipe:
    """Return the recipe with a name for each image that `find` finds. Names in `taken` are not references.

    A name contains the image's id, so that no cached layer is used on top of another image. Other references
    are unchanged. Stages are spelled as at their start, since case does not matter in them. Mount targets
    become absolute. Raises BuildFailed for too many images, and as `find` does.
    """
    found: dict[RepoRef, str | None] = {}
    images, spellings = dict[str, str](), dict[str, str]()
    scan = _read(text, taken)
    edits = {**scan.stages, **scan.targets}
    for mention in reversed(scan.mentions):
        if mention.ref not in found:
            if len(found) == MOST:
                raise BuildFailed(f"the recipe names more than {MOST} images: use fewer of them")
            found[mention.ref] = find(mention.ref)
        if (image := found[mention.ref]) is not None:
            name = edits[mention.word] = f"{PREFIX}:{image}"
            images[name], spellings[name] = image, mention.word.text
    return ResolvedRecipe(_apply_edits(text, edits), images, spellings)


def _apply_edits(text: str, edits: Mapping[Word, str]) -> str:
    """Return the text with the words replaced by names."""
    pieces, at = [], 0
    for word, name in sorted(edits.items()):
        pieces += [text[at : word.start], name]
        at = word.start + len(word.text)
    return "".join((*pieces, text[at:]))


def mentions(text: str, taken: Collection[str] = ()) -> list[Mention]:
    """Return the references to images in a Dockerfile, in order.

    Names and numbers of earlier stages, `scratch` and the names in `taken` are not references. The scan is
    not a security check: the builder does not have the images that it misses.
    """
    return _read(text, taken).mentions


def first_heredoc(text: str) -> str | None:
    """Return the first instruction with a heredoc, shortened to 80 characters, or None."""
    for words in instructions(text):
        if heredocs(words):
            return " ".join(word.text for word in words)[:80]
    return None


def _read(text: str, taken: Collection[str]) -> _Scan:
    scan = _Scan(taken)
    for words in instructions(text):
        scan.read(words)
    return scan


class _Scan:
    """The names found in one recipe, by position.

    `stages`: words that name a stage, with the spelling at its start. `targets`: the words with the paths of
    mounts, with their absolute paths.
    """

    def __init__(self, taken: Collection[str]) -> None:
        self.found: dict[int, Mention] = {}
        self.stages: dict[Word, str] = {}
        self.targets: dict[Word, str] = {}
        self._folders = WorkingFolders()
        self._begun: dict[str, str] = {}
        self._taken = {"scratch", *taken}
        self._defaults: dict[str, Word] = {}
        self._began = False

    @property
    def mentions(self) -> list[Mention]:
        """The references in the order of the text."""
        return sorted(self.found.values(), key=lambda mention: mention.word.start)

    def read(self, words: list[Word]) -> None:
        """Read one instruction."""
        keyword = words[0].text.upper()
        if keyword == "FROM":
            self._stage([word for word in words[1:] if not word.text.startswith("--")])
        elif keyword == "ARG" and not self._began:
            for word in words[1:]:
                if default := _DEFAULT.fullmatch(word.text):
                    self._defaults[default["name"]] = _part(word, default)
        elif keyword == "WORKDIR" and len(words) > 1:
            self._folders.change(words[1].text)
        elif pattern := _FLAGS.get(keyword):
            for flag in flags(words):
                self._mount(flag)
                if named := pattern.fullmatch(flag.text):
                    self._name(_part(flag, named))

    def _mount(self, flag: Word) -> None:
        for target in target_of(flag):
            self.targets[target] = self._folders.place(target.text)
            if len(self.targets) > MOST_MOUNTS:
                raise BuildFailed(f"the recipe has more than {MOST_MOUNTS:,} mounts: use fewer of them")

    def _stage(self, words: list[Word]) -> None:
        self._began = True
        if not words:
            return
        self._name(words[0])
        stage = words[2].text if len(words) >= 3 and words[1].text.lower() == "as" else ""
        self._folders.begin(words[0].text, stage)
        if stage:
            self._taken.add(stage.lower())
            self._begun[stage.lower()] = stage

    def _name(self, word: Word) -> None:
        """Note a word that names an image. For a variable, note its default instead."""
        if variable := _VARIABLE.fullmatch(word.text):
            default = self._defaults.get(variable["plain"] or variable["braced"])
            if default is None:
                return
            word = default
        if word.text.lower() in self._begun:
            self.stages[word] = self._begun[word.text.lower()]
            return
        ref = short_reference(word.text)
        if ref is not None and word.text.lower() not in self._taken and not word.text.isdigit():
            self.found[word.start] = Mention(word, ref)


def short_reference(text: str) -> RepoRef | None:
    """Return the reference to a repo's image: `@owner/repo`, `@owner/repo:label`, `repo`, `repo:label`."""
    if text.startswith("@"):
        ref = reference(text)
        return ref if isinstance(ref, RepoRef) else None
    ref = reference(f"@owner/{text}")
    return replace(ref, owner=None) if isinstance(ref, RepoRef) else None


def _part(word: Word, match: re.Match[str]) -> Word:
    """Return the part of a word that is a reference."""
    return Word(word.start + match.start("ref"), match["ref"])
