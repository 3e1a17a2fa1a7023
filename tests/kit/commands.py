"""Commands of `curlew` in the own process, each with its exit code and what it said."""

from __future__ import annotations

from click.testing import CliRunner, Result

from handlers.__main__ import main


def curlew(*words: object, url: str | None = None, **more: str) -> Result:
    """A command with its answer, on a database, with variables besides."""
    env = {"CURLEW_DATA": None, "CURLEW_DATABASE_URL": url, **more}
    return CliRunner().invoke(main, [str(word) for word in words], env=env)


def done(*words: object, url: str | None = None, **more: str) -> Result:
    """A command that has to go well."""
    result = curlew(*words, url=url, **more)
    assert result.exit_code == 0, result.output or repr(result.exc_info)
    return result
