"""Changes of the references in a chain's text: another owner or another name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from chains.language.ast import Ref, RepoRef, reference
from chains.language.chain import ChainWord, bare_label, parse, read_words


def with_owner(text: str, owner: str) -> str:
    """Return the chain with `owner` added to each repo and job that has none (see `rewritten`)."""
    return rewritten(text, lambda ref: replace(ref, owner=ref.owner or owner))


def with_name(text: str, owner: str, was: Ref, name: str) -> str:
    """Return the owner's chain with the references to `was` changed to `name` (see `rewritten`)."""

    def meant(ref: Ref) -> Ref:
        if not leads_to(ref, owner, was):
            return ref
        return replace(ref, repo=name) if isinstance(ref, RepoRef) else replace(ref, job=name)

    return rewritten(text, meant)


def leads_to(ref: Ref, owner: str, what: Ref) -> bool:
    """Return whether a reference in a chain of `owner` refers to `what`, whose owner is set."""
    return (type(ref), ref.owner or owner, _name(ref)) == (type(what), what.owner, _name(what))


def rewritten(text: str, meant: Callable[[Ref], Ref]) -> str:
    """Return the chain with each reference replaced by `meant` of it. The rest is unchanged to the byte.

    If a label is a repo's name and `meant` changes that repo, a binding line is added before the first edge.
    Raises Mistake as `parse` does, also when the result is too long.
    """
    parse(text)
    lines = read_words(text)
    bound = {words[0].text for kind, words in lines if kind == "binding"}
    pieces: list[tuple[int, int, str]] = []
    labels: dict[str, None] = {}
    for kind, words in lines:
        if kind == "edges":
            labels |= dict.fromkeys(bare_label(word.text) for word in words)
        elif kind == "binding" or bare_label(words[0].text) not in bound:
            pieces += _pieces(words[-1], meant)
    means = {label: meant(RepoRef(None, label)) for label in labels if label not in bound}
    if added := [(label, ref) for label, ref in means.items() if ref != RepoRef(None, label)]:
        first = next(words[0] for kind, words in lines if kind == "edges")
        end = "\r\n" if "\r\n" in text else "\n"
        start = text.rfind("\n", 0, first.start) + 1
        pieces.append((start, start, "".join(f"{label} <- {_spelling(ref)}{end}" for label, ref in added)))
    for start, stop, word in sorted(pieces, reverse=True):
        text = text[:start] + word + text[stop:]
    parse(text)
    return text


def _spelling(ref: Ref) -> str:
    """Return the text of a reference, without the label `latest`, which is the default."""
    return str(ref).removesuffix(":latest")


def _pieces(word: ChainWord, meant: Callable[[Ref], Ref]) -> list[tuple[int, int, str]]:
    """Return the replacements, as (start, stop, text), that make a reference the one `meant` returns."""
    bare = bare_label(word.text)
    ref, start = reference(bare), word.start + word.text.index(bare)
    if ref is None or (made := meant(ref)) == ref:
        return []
    if isinstance(ref, RepoRef):
        at = owned = start + bare.find("/") + 1
        mark = f"@{made.owner}/"
    else:
        owned = start + bare.rindex("j/")
        at, mark = owned + len("j/"), f"u/{made.owner}/"
    was, name = _name(ref), _name(made)
    return [
        *([(owned, owned, mark)] if made.owner != ref.owner else []),
        *([(at, at + len(was), name)] if name != was else []),
    ]


def _name(ref: Ref) -> str:
    return ref.repo if isinstance(ref, RepoRef) else ref.job
