"""Lines of logs: no text of a user adds one."""

from __future__ import annotations

import io
import logging
import sys

from gunicorn.config import Config
from hypothesis import given
from hypothesis import strategies as st

from handlers.security.log_lines import INDENT, PlainLines, escape_unseen
from handlers.server.server import ServerLog

WORDS = st.text(
    st.characters() | st.sampled_from("\n\r\v\f\x1b\x9b\u0085\u2028\u2029\u202e\udcff"), max_size=40
)


def logged(words: str, *, fails: bool = False, form: logging.Formatter | None = None) -> str:
    """What a log gets where words are in its message, and in an error with a cause."""
    record = logging.LogRecord("curlew", logging.WARNING, __file__, 1, "of %s", (words,), None)
    if fails:
        try:
            try:
                raise ValueError(words)
            except ValueError as cause:
                raise KeyError(words) from cause
        except KeyError:
            record.exc_info = sys.exc_info()
        record.stack_info = f"Stack:\n{words}"
    terminal = logging.StreamHandler(io.StringIO())
    terminal.setFormatter(form or PlainLines())
    terminal.handle(record)
    return str(terminal.stream.getvalue())


@given(WORDS)
def test_a_record_is_a_line(words: str) -> None:
    line = logged(words)
    assert line.startswith("WARNING curlew of ") and line.endswith("\n")
    assert line[:-1].isprintable() and line.isascii() >= words.isascii()


@given(WORDS)
def test_no_line_of_a_traceback_begins_as_a_record(words: str) -> None:
    first, *rest = logged(words, fails=True)[:-1].split("\n")
    assert first.startswith("WARNING curlew") and any("KeyError" in line for line in rest)
    assert all(line.startswith(INDENT) and line.isprintable() for line in rest)


@given(WORDS)
def test_what_prints_stays_as_it_is(words: str) -> None:
    assert escape_unseen(escape_unseen(words)) == escape_unseen(words)
    assert not words.isprintable() or escape_unseen(words) == words


def test_gunicorn_logs_so_too() -> None:
    forms = [handler.formatter for handler in ServerLog(Config()).error_log.handlers]
    assert forms and all(isinstance(form, PlainLines) for form in forms)
    line = logged("a\nb", form=forms[0])
    assert line.count("\n") == 1 and "a\\nb" in line
