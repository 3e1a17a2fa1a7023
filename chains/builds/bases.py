"""The images that recipes on a server may begin with, and the check of the image that a recipe names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chains.builds.recipe_words import Word, instructions
from chains.builds.references import short_reference
from chains.engine.port import BuildFailed
from chains.language.ast import RepoRef

HUB = ("docker.io", "index.docker.io")
OFFICIAL = "docker.io/library/"
FREE = ("scratch", "busybox", "busybox:latest")
OTHER_SYSTEMS = ("alpine", "windowsservercore", "nanoserver")


@dataclass(frozen=True, slots=True)
class OfferedImages:
    """Images that every recipe may begin with.

    `base`: the image for repositories without a Dockerfile. `python`: its Python version, such as `3.11`, or
    empty if unknown. `registries`: the hosts that recipes may pull from; None means any.
    """

    base: str
    python: str = ""
    registries: Sequence[str] | None = ()

    @property
    def short(self) -> str:
        """The name of the base image in recipes."""
        return self.base.removeprefix("localhost/")

    @property
    def names(self) -> set[str]:
        """The short names that mean the base image, such as `python:3-slim`, and not a repo."""
        short = self.base.rpartition("/")[2]
        return {short, short.removesuffix(":latest")}

    @property
    def advice(self) -> str:
        """A sentence with the images that a recipe may begin with."""
        version = f" (Python {self.python})" if self.python else ""
        pulled = f", or one of {', '.join(self.registries)}" if self.registries else ""
        others = "" if self.registries else "; other images only if the operator allows it (build_registries)"
        return (
            f"write FROM {self.short}{version}, FROM busybox, FROM scratch, or an image of this server that "
            f"you may use, as FROM @owner/repo{pulled}{others}"
        )

    def pulls(self, name: str) -> bool:
        """Return whether an image may be pulled from a registry."""
        if self.registries is None:
            return True
        host = name.partition("/")[0] if "/" in name else ""
        host = host if "." in host or ":" in host else HUB[0]
        return host in self.registries or (host in HUB and HUB[0] in self.registries)


def settle_bases(
    text: str, offer: OfferedImages, is_repo: Callable[[RepoRef], bool], tell: Callable[[str], object]
) -> str:
    """Return the recipe with the base image in place of official Python images of the same version.

    `tell` gets a line for each. `is_repo`: whether a name is a repo. Raises BuildFailed for an unknown image.
    """
    stages = {"scratch"}
    defaults: dict[str, str] = {}
    edits: dict[Word, str] = {}
    began = False
    for words in instructions(text):
        keyword = words[0].text.upper()
        if keyword == "ARG" and not began:
            defaults |= _defaults(words[1:])
        if keyword != "FROM":
            continue
        began = True
        named = [word for word in words[1:] if not word.text.startswith("--")]
        if named:
            name = _fill_variables(named[0].text, defaults)
            if name.lower() not in stages and not offer.pulls(name) and not _is_here(name, offer, is_repo):
                edits[named[0]] = _base_for(name, offer, tell)
        if len(named) > 2:
            stages.add(named[2].text.lower())
    for word, name in sorted(edits.items(), reverse=True):
        text = text[: word.start] + name + text[word.start + len(word.text) :]
    return text


def _is_here(name: str, offer: OfferedImages, is_repo: Callable[[RepoRef], bool]) -> bool:
    plain = name.removeprefix("localhost/").removeprefix(OFFICIAL)
    if plain in FREE or plain in offer.names or name == offer.base or "$" in name or name.startswith("@"):
        return True
    ref = short_reference(name)
    return ref is not None and is_repo(ref)


def _base_for(name: str, offer: OfferedImages, tell: Callable[[str], object]) -> str:
    """Return the base image as the replacement of an official Python image. Raise BuildFailed."""
    repo, _, tag = (
        name.removeprefix(OFFICIAL).removeprefix("docker.io/").removeprefix("library/").partition(":")
    )
    if repo != "python" or not offer.python:
        raise BuildFailed(f"FROM {name}: this server has no such image; {offer.advice}")
    version, *rest = tag.split("-")
    asked = version.split(".") if version[:1].isdigit() else []
    if asked[:2] != offer.python.split(".")[: len(asked[:2])]:
        raise BuildFailed(f"FROM {name}: this server has Python {offer.python}; {offer.advice}")
    if any(word.startswith(OTHER_SYSTEMS) for word in (version, *rest)):
        raise BuildFailed(
            f"FROM {name}: this server's Python is no {rest[-1] if rest else version}; {offer.advice}"
        )
    tell(f"FROM {name} is {offer.short} here, with Python {offer.python}")
    return offer.base


def _defaults(words: Sequence[Word]) -> Mapping[str, str]:
    pairs = (word.text.partition("=") for word in words)
    return {name: value.strip("\"'") for name, sign, value in pairs if sign}


def _fill_variables(text: str, defaults: Mapping[str, str]) -> str:
    """Return a name with its variables replaced by their defaults. Unknown variables stay."""
    parts = text.split("${")
    for number, part in enumerate(parts[1:], 1):
        name, end, rest = part.partition("}")
        parts[number] = defaults[name] + rest if end and name in defaults else "${" + part
    filled = "".join(parts)
    return defaults.get(filled[1:], filled) if filled.startswith("$") else filled
