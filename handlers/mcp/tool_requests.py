"""Calls of tools as requests to the API: what each sends."""

from __future__ import annotations

import re
from collections.abc import Mapping
from secrets import token_hex
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import orjson

from handlers.http.kernel import InnerRequest
from handlers.http.response import JSON, PLAIN
from handlers.rules.addresses import API
from vfs.errors import Invalid

DATA = "/data"
USUAL_WAIT = 30
OUTSIDE = ("docs", "llms.txt", "openapi.json")
"""The first names of paths outside of the API that are read: the manual."""
LONGEST_TARGET = 8_000
"""Characters, as in a request line of HTTP."""
_HEADER = re.compile(r"[\x20-\x7e]{1,200}")
# Everything that a path may have as it is; other characters are escaped, and escapes are kept.
_KEPT = "/%@~+=:,;!$&'()*?#[]"


def list_request(sent: Mapping[str, Any]) -> InnerRequest:
    """Return the request for a listing of a folder as lines. Raises Invalid."""
    return _get(sent.get("path", "/v1"), {}, {"HTTP_ACCEPT": "text/plain"})


def read_request(sent: Mapping[str, Any]) -> InnerRequest:
    """Return the request for the content of a file. Raises Invalid."""
    accept = {"HTTP_ACCEPT": JSON} if sent.get("format") == "json" else {}
    return _get(sent["path"], sent.get("query", {}), accept)


def write_request(sent: Mapping[str, Any]) -> InnerRequest:
    """Return the request for a change. Raises Invalid."""
    headers, content = {}, sent.get("content")
    if content is not None:
        headers["CONTENT_TYPE"] = _header(sent, "content_type", JSON if isinstance(content, dict) else PLAIN)
    if "if_match" in sent:
        headers["HTTP_IF_MATCH"] = _header(sent, "if_match", "")
    body = orjson.dumps(content) if isinstance(content, dict) else (content or "").encode()
    return InnerRequest(sent.get("verb", "POST"), target(sent["path"], sent.get("query", {})), headers, body)


def options_request(sent: Mapping[str, Any]) -> InnerRequest:
    """Return the request for what may be done at a path."""
    return InnerRequest("OPTIONS", target(sent["path"]), {"HTTP_ACCEPT": JSON})


def run_request(sent: Mapping[str, Any]) -> InnerRequest:
    """Return the request that starts a run, and waits for it. Raises Invalid."""
    job = sent["job"].rstrip("/")
    headers = {"HTTP_PREFER": f"wait={sent.get('wait', USUAL_WAIT)}", "CONTENT_TYPE": JSON}
    body = orjson.dumps(sent.get("input", {}))
    if "files" in sent:
        if "input" in sent:
            raise Invalid("send input or files, not both")
        headers["CONTENT_TYPE"], body = _form(sent["files"])
    return InnerRequest("POST", target(job if job.endswith(DATA) else job + DATA), headers, body)


def search_request(sent: Mapping[str, Any]) -> InnerRequest:
    """Return the request for a search."""
    query = {name: str(value) for name, value in sent.items()}
    return InnerRequest("GET", target("/v1/search", query), {"HTTP_ACCEPT": JSON})


def full_path(path: str, places: Mapping[str, str]) -> str:
    """Return a path of the API or of the manual for what an agent calls it. Raises Invalid.

    `/u/ann/p/sales`, as chains and pages name things, is their folder; `places` are the folders by letter.
    """
    match path.split("/"):
        case ["", "u", user, letter, *rest] if letter in places:
            return "/".join(["", API[0], "users", user, places[letter], *rest])
        case ["", "u", user]:
            return f"/{API[0]}/users/{user}"
        case ["", first, *_] if first in (API[0], *OUTSIDE):
            return path
        case ["", *_]:
            return f"/{API[0]}{path}"
    raise Invalid(f'"{path[:80]}" is not a path: paths begin with a slash, such as /v1/vis')


def target(path: str, query: Mapping[str, str] | None = None) -> str:
    """Return the target of a request; characters that a path cannot have are escaped. Raises Invalid."""
    whole = quote(path, safe=_KEPT)
    whole += f"{'&' if '?' in whole else '?'}{urlencode(query)}" if query else ""
    if len(whole) > LONGEST_TARGET:
        raise Invalid(f"a path and its query have at most {LONGEST_TARGET} characters together")
    return whole


def _get(path: str, query: Mapping[str, str], headers: Mapping[str, str]) -> InnerRequest:
    """Return a request that reads. Raises Invalid for one whose answer has no end."""
    whole = target(path, query)
    if any(name == "follow" for name, _ in parse_qsl(whole.partition("?")[2], keep_blank_values=True)):
        raise Invalid("a tool does not wait for news: leave out follow, and read again later")
    return InnerRequest("GET", whole, headers)


def _header(sent: Mapping[str, Any], name: str, usual: str) -> str:
    value: str = sent.get(name, usual)
    if not _HEADER.fullmatch(value):
        raise Invalid(f"the argument {name} is a line of at most 200 ASCII characters")
    return value


def _form(files: Mapping[str, str]) -> tuple[str, bytes]:
    """Return the media type and the bytes of a form with these files."""
    between, parts = token_hex(16), []
    for name, text in files.items():
        quoted = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = f'Content-Disposition: form-data; name="file"; filename="{quoted}"'
        parts.append(f"--{between}\r\n{head}\r\n\r\n{text}\r\n")
    return f"multipart/form-data; boundary={between}", "".join([*parts, f"--{between}--\r\n"]).encode()
