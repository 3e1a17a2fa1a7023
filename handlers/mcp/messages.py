"""Messages of agents: JSON-RPC 2.0 and the revisions of the Model Context Protocol, without any state."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

import orjson

from handlers.http.bodies.body import RequestBody
from handlers.http.problems import problem_type_of
from handlers.http.response import JSON, Answer
from handlers.words.terminal_signs import safe_json
from vfs.errors import TooLarge, VfsError, WrongMedia

MODERN = "2026-07-28"
"""The revision in which each request names its revision, and nothing precedes the first one."""
HANDSHAKE = ("2025-11-25", "2025-06-18")
"""Earlier revisions, which begin with `initialize`; the newest one first."""
VERSIONS = (MODERN, *HANDSHAKE)
LARGEST = 4 << 20
"""Bytes of a message."""

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS, INTERNAL = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
STATUSES = {
    UNKNOWN_METHOD: HTTPStatus.NOT_FOUND,
    INTERNAL: HTTPStatus.INTERNAL_SERVER_ERROR,
}
META = "io.modelcontextprotocol"
_ENCODED = re.compile(r"=\?base64\?([A-Za-z0-9+/]*={0,2})\?=")


class MessageError(Exception):
    """A refusal of a message as a whole, with a code of JSON-RPC or of the protocol.

    `status` is that of the response, whatever the revision says about the code.
    """

    def __init__(
        self, code: int, message: str, data: object = None, status: HTTPStatus | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.data, self.status = code, data, status


class AgentMessage(NamedTuple):
    """A request, or a notification, which has no id and gets no answer."""

    id: str | int | None
    method: str
    params: Mapping[str, Any]
    is_modern: bool

    @property
    def is_notification(self) -> bool:
        """Whether no answer is expected."""
        return self.id is None


def read_message(environ: Mapping[str, Any]) -> AgentMessage:
    """Return the message in the body of a request, checked against its headers. Raises MessageError."""
    try:
        sent = RequestBody(environ).data(LARGEST)
    except VfsError as wrong:
        status = problem_type_of(wrong).status if isinstance(wrong, TooLarge | WrongMedia) else None
        code = PARSE_ERROR if status is None else INVALID_REQUEST
        raise MessageError(code, wrong.detail, status=status or HTTPStatus.BAD_REQUEST) from None
    message = _message(sent, environ)
    if not message.is_notification and message.method != "initialize":
        _check_version(message, environ)
    return message


def _message(sent: Any, environ: Mapping[str, Any]) -> AgentMessage:
    bad = HTTPStatus.BAD_REQUEST
    if isinstance(sent, list):
        raise MessageError(INVALID_REQUEST, "batches are not supported: send one message", status=bad)
    if not isinstance(sent, dict) or sent.get("jsonrpc") != "2.0" or not isinstance(sent.get("method"), str):
        wanted = 'send a request such as {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
        raise MessageError(INVALID_REQUEST, wanted, status=bad)
    id = sent.get("id")
    if "id" in sent and (not isinstance(id, str | int) or isinstance(id, bool)):
        raise MessageError(INVALID_REQUEST, "an id is a string or an integer", status=bad)
    params = sent.get("params", {})
    if not isinstance(params, dict):
        raise MessageError(INVALID_REQUEST, "params is an object", status=bad)
    is_modern = _named(params) is not None or environ.get("HTTP_MCP_PROTOCOL_VERSION") == MODERN
    return AgentMessage(id, sent["method"], params, is_modern and sent["method"] != "initialize")


def _named(params: Mapping[str, Any]) -> Any:
    """Return the revision that a request names in its body; None if there is none."""
    meta = params.get("_meta")
    return meta.get(f"{META}/protocolVersion") if isinstance(meta, dict) else None


def _check_version(message: AgentMessage, environ: Mapping[str, Any]) -> None:
    """Raise MessageError if the revision is unknown, or if headers and body of a modern request differ."""
    header = environ.get("HTTP_MCP_PROTOCOL_VERSION")
    if message.is_modern:
        meta = message.params.get("_meta")
        needed = (f"{META}/protocolVersion", f"{META}/clientCapabilities")
        if not isinstance(meta, dict) or any(name not in meta for name in needed):
            raise MessageError(INVALID_PARAMS, f"params._meta needs {' and '.join(needed)}")
        _require_same("MCP-Protocol-Version", header, meta[needed[0]])
        _require_same("Mcp-Method", environ.get("HTTP_MCP_METHOD"), message.method)
        if message.method == "tools/call":
            _require_same("Mcp-Name", _decoded(environ.get("HTTP_MCP_NAME")), message.params.get("name"))
    if header is not None and header not in VERSIONS:
        facts = {"supported": VERSIONS, "requested": header[:80]}
        supported = f"this revision is not supported: use one of {', '.join(VERSIONS)}"
        raise MessageError(UNSUPPORTED_VERSION, supported, facts, HTTPStatus.BAD_REQUEST)


def _require_same(name: str, header: str | None, value: Any) -> None:
    if header is None or header != value:
        raise MessageError(HEADER_MISMATCH, f"the header {name} has to be there, and as in the body")


def _decoded(header: str | None) -> str | None:
    """Return the value of a header that may be in base64; None if that is malformed."""
    found = _ENCODED.fullmatch(header) if header is not None else None
    if found is None:
        return header
    try:
        return b64decode(found[1], validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def result_answer(message: AgentMessage, result: Mapping[str, Any], server: Mapping[str, str]) -> Answer:
    """Return the response with the result of a request; members of the newest revision are always there."""
    meta = {f"{META}/serverInfo": server}
    body = {"jsonrpc": "2.0", "id": message.id, "result": {"resultType": "complete", **result, "_meta": meta}}
    return Answer(HTTPStatus.OK, [("Content-Type", JSON)], safe_json(orjson.dumps(body)))


def error_answer(wrong: MessageError, message: AgentMessage | None = None) -> Answer:
    """Return the response to a message that is refused.

    The handshake revisions answer errors in a request with 200, and the newest one with another status.
    """
    error: dict[str, Any] = {"code": wrong.code, "message": str(wrong)}
    if wrong.data is not None:
        error["data"] = wrong.data
    is_modern = message is None or message.is_modern
    usual = STATUSES.get(wrong.code, HTTPStatus.BAD_REQUEST) if is_modern else HTTPStatus.OK
    body = {"jsonrpc": "2.0", "id": None if message is None else message.id, "error": error}
    return Answer(
        wrong.status or usual, [("Content-Type", JSON)], safe_json(orjson.dumps(body)), why=str(wrong)
    )
