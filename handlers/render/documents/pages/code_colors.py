"""Code as HTML, with classes for the kinds of its tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from html import escape

from pygments import lex
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, Text, _TokenType

from handlers.render.documents.pages.line_lengths import fold_code

LONGEST = 40_000
CLASSES = (
    (Comment, "c-note"),
    (Keyword.Constant, "c-number"),
    (Keyword, "c-word"),
    (Operator.Word, "c-word"),
    (Name.Builtin, "c-word"),
    (Name.Tag, "c-word"),
    (String, "c-text"),
    (Number, "c-number"),
    (Generic.Inserted, "up"),
    (Generic.Deleted, "down"),
)
TAB = 4
Words = Iterable[tuple[_TokenType, str]]
COLORED = frozenset((
    "python", "py", "python3", "pycon", "bash", "sh", "shell", "console", "zsh", "sql", "json", "yaml",
    "toml", "ini", "html", "xml", "css", "javascript", "js", "typescript", "ts", "java", "c", "cpp", "c++",
    "go", "rust", "r", "ruby", "docker", "dockerfile", "make", "makefile", "diff", "http", "text", "julia",
))  # fmt: skip
"""Languages whose lexers take linear time."""


def code_html(text: str, language: str, signs: int = 0) -> str:
    """Return the code as HTML; an unknown language, or too long a text, gets no colours.

    Lines of more than `signs` characters are broken at the page's edge; 0 keeps them whole.
    """
    lexer = _lexer(language.lower()) if len(text) <= LONGEST else None
    text = text.expandtabs(TAB) if signs else text
    words = _words(lexer, text) if lexer else [(Text, text)]
    if signs:
        cuts = fold_code("".join(word for _, word in words), signs)
        words = list(_fold_words(words, cuts)) if cuts else words
    return "".join(_word(kind, word) for kind, word in words)


def _words(lexer: Lexer, text: str) -> list[tuple[_TokenType, str]]:
    """Return the tokens of code; some lexers need a line break at the end."""
    words = list(lex(text + "\n", lexer))
    kind, last = words.pop()
    return [*words, (kind, last.removesuffix("\n"))]


def _fold_words(words: Words, cuts: Mapping[int, int]) -> Iterator[tuple[_TokenType, str]]:
    """Yield the tokens, with line breaks and spaces at the cuts."""
    offset, places = 0, sorted(cuts, reverse=True)
    for kind, word in words:
        while places and places[-1] < offset + len(word):
            place = places.pop()
            yield kind, word[: place - offset]
            yield Text, "\n" + " " * cuts[place]
            word, offset = word[place - offset :], place
        yield kind, word
        offset += len(word)


def _word(kind: _TokenType, word: str) -> str:
    name = next((name for above, name in CLASSES if kind in above), "")
    return f'<span class="{name}">{escape(word)}</span>' if name and word.strip() else escape(word)


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    return get_lexer_by_name(language, stripnl=False, ensurenl=False) if language in COLORED else None
