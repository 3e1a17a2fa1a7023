"""The parser of `config/chains`: text to Chain; a mistake has a name and a position (decisions 19)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput, UnexpectedToken

from chains.language.ast import NAME, Chain, JobRef, Phase, Ref, RepoRef, Step, reference
from chains.language.mistake import Mistake

LARGEST = 64 * 1024

_LABEL = re.compile(NAME)
_MENTION = re.compile(rf"(!?)(\.?)({NAME})(!?)")
_LONE = re.compile(r"(!?)(\.?)([^!]*)(!?)")
_FAN_OUT = "fan_out"
_MARKS = (Phase.BEFORE, _FAN_OUT, Phase.AFTER)
_LABEL_RULE = 'a label is 1 to 64 of a-z, 0-9, "_" and "-", begins with a letter or digit and holds no "__"'
_MARK_RULE = '"!a" holds before a step, "a!" after it, ".a" runs it once per file, "!.a" and ".a!" do both'
_FORMS = '"repo", "@owner/repo", "@owner/repo:label", "/u/<user>/j/<job>" or "/j/<job>"'


class ChainFault(StrEnum):
    """The kinds of mistakes in a chain's text."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    CHARACTER = "character"
    RESERVED = "reserved"
    MISSING_ARROW = "missing_arrow"
    MISSING_STEP = "missing_step"
    MIXED_ARROWS = "mixed_arrows"
    LONE_REFERENCE = "lone_reference"
    BAD_LABEL = "bad_label"
    BAD_REFERENCE = "bad_reference"
    BAD_MARK = "bad_mark"
    UNKNOWN_LABEL = "unknown_label"
    BOUND_TWICE = "bound_twice"
    UNUSED_BINDING = "unused_binding"
    EDGE_TWICE = "edge_twice"
    CYCLE = "cycle"
    FAN_OUT_JOB = "fan_out_job"


def parse(text: str, largest: int = LARGEST) -> Chain:
    """Return the chain that `text` describes.

    Raises Mistake for an error, more than `largest` bytes, or nothing but comments (a job without a chain
    stores no text). A mark (`.`, `!`) on one mention of a step applies to the step. A fan-out step without
    predecessors runs once per file of the trigger's input. A lone reference may have marks; its label is the
    name of the repo or job. A bound label may be alone on a line, too.
    """
    encoded = text.encode(errors="replace")
    if len(encoded) > largest:
        advice = "move parts of it into separate jobs"
        raise Mistake(ChainFault.TOO_LONG, f"the chain is larger than {largest} bytes: {advice}")
    text = encoded.decode()
    reading = _ChainReader(text)
    try:
        lines: Any = _parser().parse(text)
    except UnexpectedInput as error:
        reading.refuse_syntax(error)
    return reading.chain(lines)


_Line = tuple[str, list[Token]]


class _Lines(Transformer[Token, list[_Line]]):
    """A Lark transformer that collects (kind of line, its words)."""

    def start(self, lines: list[_Line]) -> list[_Line]:
        return lines

    def binding(self, words: list[Token]) -> _Line:
        return "binding", words

    def edges(self, words: list[Token]) -> _Line:
        return "edges", words

    def lone(self, words: list[Token]) -> _Line:
        return "lone", words


class ChainWord(NamedTuple):
    """A word of a chain and its position in the text."""

    text: str
    start: int


def read_words(text: str) -> list[tuple[str, list[ChainWord]]]:
    """Return the kind of each line (`binding`, `edges` or `lone`) and its words. The text must be valid."""
    lines: Any = _parser().parse(text)
    return [(kind, [ChainWord(str(word), word.start_pos) for word in words]) for kind, words in lines]


@cache
def _parser() -> Lark:
    return Lark.open_from_package(
        "chains.language", "chain.lark", ["grammar"], parser="lalr", transformer=_Lines()
    )


class _ChainReader:
    """A reader of one text: collects bindings, mentions and edges; refuses a wrong word at its position."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.bound: dict[str, tuple[Ref, Token]] = {}
        self.marks: dict[str, set[str]] = {}
        self.edges: dict[tuple[str, str], Token] = {}

    def chain(self, lines: Sequence[_Line]) -> Chain:
        if not lines:
            raise Mistake(ChainFault.EMPTY, "the chain has no step: name a repo, or DELETE the file")
        for kind, words in lines:
            if kind == "binding":
                self.bind(*words)
        for kind, words in lines:
            if kind == "edges" or (kind == "lone" and bare_label(words[0]) in self.bound):
                self.join(words)
            elif kind == "lone":
                self.stand_alone(words[0], len(lines))
        if len(lines) == 1:
            self.marks = self.marks or {label: set() for label in self.bound}
        self.refuse_unused()
        self.refuse_cycle()
        return Chain(tuple(self.step(label, marks) for label, marks in self.marks.items()), tuple(self.edges))

    def bind(self, word: Token, target: Token) -> None:
        if _LABEL.fullmatch(word) is None or "__" in word:
            self.refuse_word(word, ChainFault.BAD_LABEL, f"{_quote(word)} cannot be bound: {_LABEL_RULE}")
        if word in self.bound:
            first = self.bound[word][1].line
            reason = f'label "{word}" is bound on line {first} already: choose another label'
            self.refuse(word, ChainFault.BOUND_TWICE, reason)
        self.bound[str(word)] = self.ref(target, str(target)), word

    def stand_alone(self, word: Token, lines: int) -> None:
        if lines > 1:
            reason = f"{_quote(word)} stands alone in a longer chain: bind it with <- or join it with ->"
            bare = bare_label(word)
            if bare != word and _LABEL.fullmatch(bare):
                reason = f'no line binds "{bare}": write "{bare} <- reference", or join {_quote(word)} by ->'
                self.refuse(word, ChainFault.LONE_REFERENCE, reason)
            self.refuse_word(word, ChainFault.LONE_REFERENCE, reason)
        marked = _LONE.fullmatch(word)
        ref = self.ref(word, marked[3] if marked else word)
        label = re.sub("__+", "_", ref.repo if isinstance(ref, RepoRef) else ref.job)
        self.bound[label] = ref, word
        self.mark(label, marked)

    def ref(self, word: Token, spelling: str) -> Ref:
        ref = reference(spelling)
        if ref is None:
            self.refuse_word(
                word, ChainFault.BAD_REFERENCE, f"{_quote(word)} is not a reference: write {_FORMS}"
            )
        return ref

    def join(self, words: list[Token]) -> None:
        labels = [self.mention(word) for word in words]
        for edge, word in zip(pairwise(labels), words[1:], strict=True):
            if edge in self.edges:
                first = self.edges[edge].line
                reason = f'the edge "{edge[0]} -> {edge[1]}" stands on line {first} already: keep one of them'
                self.refuse(word, ChainFault.EDGE_TWICE, reason)
            self.edges[edge] = word

    def mention(self, word: Token) -> str:
        marked = _MENTION.fullmatch(word)
        if marked is None or "__" in word:
            self.refuse_mention(word)
        label = marked[3]
        self.bound.setdefault(label, (RepoRef(None, label), word))
        self.mark(label, marked)
        return label

    def mark(self, label: str, marked: re.Match[str] | None) -> None:
        marks = self.marks.setdefault(label, set())
        if marked is not None and marked[3] != marked[0]:
            marks.update(mark for mark, sign in zip(_MARKS, marked.group(1, 2, 4), strict=True) if sign)

    def step(self, label: str, marks: set[str]) -> Step:
        ref, word = self.bound[label]
        if _FAN_OUT in marks and isinstance(ref, JobRef):
            reason = f'"{label}" is a job, which cannot fan out: put the "." on the steps inside {ref}'
            self.refuse(word, ChainFault.FAN_OUT_JOB, reason)
        return Step(label, ref, _FAN_OUT in marks, tuple(phase for phase in Phase if phase in marks))

    def refuse_unused(self) -> None:
        for label, (_, word) in self.bound.items():
            if label not in self.marks:
                reason = f'label "{label}" is bound but no edge uses it: join it with -> or remove the line'
                self.refuse(word, ChainFault.UNUSED_BINDING, reason)

    def refuse_cycle(self) -> None:
        graph: TopologicalSorter[str] = TopologicalSorter()
        for before, after in self.edges:
            graph.add(after, before)
        try:
            graph.prepare()
        except CycleError as error:
            labels: list[str] = error.args[1]
            closing = max(map(self.edges.__getitem__, pairwise(labels)), key=lambda word: word.end_pos or 0)
            shown = labels if len(labels) <= 8 else [*labels[:4], "...", *labels[-3:]]
            reason = f"the steps go round in a cycle: {' -> '.join(shown)}; remove one of these edges"
            self.refuse(closing, ChainFault.CYCLE, reason)

    def refuse_mention(self, word: Token) -> NoReturn:
        bare = bare_label(word)
        ref = reference(bare)
        if ref is None or _LABEL.fullmatch(bare):
            self.refuse_word(word, ChainFault.BAD_LABEL, f"{_quote(word)} is not a step: {_LABEL_RULE}")
        name = ref.repo if isinstance(ref, RepoRef) else ref.job
        reason = f'unknown label "{bare}": an edge joins labels, so bind it first, as in "{name} <- {bare}"'
        self.refuse(word, ChainFault.UNKNOWN_LABEL, reason)

    def refuse_word(self, word: Token, fault: ChainFault, reason: str) -> NoReturn:
        """Refuse a word; of the mistakes that it may be, report the most specific one."""
        bare = bare_label(word)
        if word in (",", "|"):
            reason = f'"{word}" is reserved: write a line for each edge, as in "a -> c" and "b -> c"'
            self.refuse(word, ChainFault.RESERVED, reason)
        if bare != word and "__" not in bare and reference(bare):
            reason = f"{_quote(word)} has a mark that is not allowed there: at a step, {_MARK_RULE}"
            self.refuse(word, ChainFault.BAD_MARK, reason)
        self.refuse(word, fault, reason)

    def refuse(self, word: Token, fault: ChainFault, reason: str) -> NoReturn:
        self.refuse_at(word.line or 1, word.column or 1, fault, reason)

    def refuse_at(self, line: int, column: int, fault: ChainFault, reason: str) -> NoReturn:
        raise Mistake.at(fault, reason, self.text, line, column)

    def refuse_syntax(self, error: UnexpectedInput) -> NoReturn:
        """Refuse the character, word, arrow or end of line at which Lark could not continue."""
        if not isinstance(error, UnexpectedToken):
            character = self.text[error.pos_in_stream or 0]
            reason = f"the character {character!r} has no place in a chain: remove it"
            self.refuse_at(error.line, error.column, ChainFault.CHARACTER, reason)
        word: Token = error.token
        if "WORD" in error.expected:
            self.refuse(word, ChainFault.MISSING_STEP, "an arrow joins two names, and one is missing here")
        if word.type == "WORD":
            reason = f"an arrow is missing before {_quote(word)}: write -> between steps, <- after a label"
            self.refuse_word(word, ChainFault.MISSING_ARROW, reason)
        reason = "a line is one binding (label <- reference) or edges (a -> b -> c), not both"
        self.refuse(word, ChainFault.MIXED_ARROWS, reason)


def bare_label(word: str) -> str:
    """Return the label in a mention of a step, without its marks."""
    return word.strip("!.")


def _quote(word: str) -> str:
    return f'"{word}"' if len(word) <= 64 else f'"{word[:61]}..."'
