"""A chain as others read it: each repo and job that is named without an owner as one of its owner's."""

from __future__ import annotations

from chains.language.ast import RepoRef, reference
from chains.language.chain import ChainWord, parse, read_words


def with_owner(text: str, owner: str) -> str:
    """The chain with each repo and job that has no owner as one of this owner's, else to the byte.

    A label that is a repo's name is bound on a line of its own, before the first edge. Raises Mistake
    as `parse` does, and where it is too long with the owner.
    """
    parse(text)
    lines = read_words(text)
    bound = {words[0].text for kind, words in lines if kind == "binding"}
    added: list[tuple[int, str]] = []
    labels: dict[str, None] = {}
    for kind, words in lines:
        if kind == "edges":
            labels |= dict.fromkeys(_bare(word) for word in words)
        else:
            added += _owner_of(words[-1], owner)
    if unbound := [label for label in labels if label not in bound]:
        first = next(words[0] for kind, words in lines if kind == "edges")
        end = "\r\n" if "\r\n" in text else "\n"
        start = text.rfind("\n", 0, first.start) + 1
        added.append((start, "".join(f"{label} <- @{owner}/{label}{end}" for label in unbound)))
    for at, more in sorted(added, reverse=True):
        text = text[:at] + more + text[at:]
    parse(text)
    return text


def _bare(word: ChainWord) -> str:
    """The label in a mention, without its marks."""
    return word.text.strip("!.")


def _owner_of(word: ChainWord, owner: str) -> list[tuple[int, str]]:
    """The words that give a reference its owner, and where they stand; none where it has one."""
    bare = _bare(word)
    ref, start = reference(bare), word.start + word.text.index(bare)
    if ref is None or ref.owner is not None:
        return []
    if isinstance(ref, RepoRef):
        return [(start, f"@{owner}/")]
    return [(start + bare.rindex("j/"), f"u/{owner}/")]
