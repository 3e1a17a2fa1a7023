"""Programs' text as HTML, with classes for the kinds of its words."""

from __future__ import annotations

from functools import lru_cache
from html import escape

from pygments import lex
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

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
)
COLORED = frozenset(
    [
        "python",
        "py",
        "python3",
        "pycon",
        "bash",
        "sh",
        "shell",
        "console",
        "zsh",
        "sql",
        "json",
        "yaml",
        "toml",
        "ini",
        "html",
        "xml",
        "css",
        "javascript",
        "js",
        "typescript",
        "ts",
        "java",
        "c",
        "cpp",
        "c++",
        "go",
        "rust",
        "r",
        "ruby",
        "docker",
        "dockerfile",
        "make",
        "makefile",
        "diff",
        "http",
        "text",
        "julia",
    ]
)
"""Languages whose readers take time that grows with the text alone."""


def code_html(text: str, language: str) -> str:
    """The text; a language that is unknown, or too much text, has no colours."""
    lexer = _lexer(language.lower()) if len(text) <= LONGEST else None
    if lexer is None:
        return escape(text)
    return "".join(_word(kind, word) for kind, word in lex(text, lexer))


def _word(kind: _TokenType, word: str) -> str:
    name = next((name for above, name in CLASSES if kind in above), "")
    return f'<span class="{name}">{escape(word)}</span>' if name and word.strip() else escape(word)


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    if language not in COLORED:
        return None
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
