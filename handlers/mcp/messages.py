"""Messages of agents: JSON-RPC 2.0 and the revisions of the Model Context Protocol, without any state."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, NamedTuple

import orjson

from handlers.http.bodies.body import RequestBody
from handlers.http.response import JSON, Answer
from handlers.words.terminal_signs import safe_json
from vfs.errors import Invalid

MODERN = "2026-07-28"
"""The revision in which each request names its revision, and no handshake is needed."""
HANDSHAKE = ("2025-11-25", "2025-06-18")
"""Earlier revisions, which begin with `initialize`; the newest one first."""
VERSIONS = (MODERN, *HANDSHAKE)
SERVER = {"name": "curlew", "title": "Curlew", "version": version("curlew")}
LARGEST = 4 << 20
"""Most bytes of a message."""
PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
META = "io.modelcontextprotocol"


class MessageError(Exception):
    """A refusal of a message as a whole, with a code of JSON-RPC or of the protocol."""

    def __init__(self, code: int, message: str, **data: object) -> None:
        super().__init__(message)
        self.code, self.data = code, data


class AgentMessage(NamedTuple):
    """A request, or without an id a notification, which gets no response."""

    id: str | int | None
    method: str
    params: Mapping[str, Any]
    is_modern: bool


def read_message(environ: Mapping[str, Any]) -> AgentMessage:
    """Return the message in the body of a request, checked against its headers.

    Raises MessageError, TooLarge, WrongMedia.
    """
    try:
        sent = RequestBody(environ).data(LARGEST)
    except Invalid as wrong:
        raise MessageError(PARSE_ERROR, wrong.detail) from None
    message = _message(sent, environ)
    if message.id is not None and message.method != "initialize":
        _check_version(message, environ)
    return message


def _message(sent: Any, environ: Mapping[str, Any]) -> AgentMessage:
    if not isinstance(sent, dict) or sent.get("jsonrpc") != "2.0" or not isinstance(sent.get("method"), str):
        wanted = 'send one request such as {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
        raise MessageError(INVALID_REQUEST, wanted)
    id, params = sent.get("id"), sent.get("params", {})
    if "id" in sent and (not isinstance(id, str | int) or isinstance(id, bool)):
        raise MessageError(INVALID_REQUEST, "an id is a string or an integer")
    if not isinstance(params, dict):
        raise MessageError(INVALID_REQUEST, "params is an object")
    is_modern = f"{META}/protocolVersion" in _meta(params) or _revision(environ) == MODERN
    return AgentMessage(id, sent["method"], params, is_modern and sent["method"] != "initialize")


def _meta(params: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def _revision(environ: Mapping[str, Any]) -> str | None:
    return environ.get("HTTP_MCP_PROTOCOL_VERSION")


def _check_version(message: AgentMessage, environ: Mapping[str, Any]) -> None:
    """Raise MessageError for an unknown revision, or if headers and body of a modern request differ."""
    header = _revision(environ)
    if message.is_modern:
        meta, needed = _meta(message.params), (f"{META}/protocolVersion", f"{META}/clientCapabilities")
        if not meta.keys() >= set(needed):
            raise MessageError(INVALID_PARAMS, f"params._meta needs {' and '.join(needed)}")
        _require_same("MCP-Protocol-Version", header, meta[needed[0]])
        _require_same("Mcp-Method", environ.get("HTTP_MCP_METHOD"), message.method)
        if message.method == "tools/call":
            _require_same("Mcp-Name", environ.get("HTTP_MCP_NAME"), message.params.get("name"))
    if header is not None and header not in VERSIONS:
        supported = f"this revision is not supported: use one of {', '.join(VERSIONS)}"
        raise MessageError(UNSUPPORTED_VERSION, supported, supported=VERSIONS, requested=header[:80])


def _require_same(name: str, header: str | None, value: Any) -> None:
    if header is None or header != value:
        raise MessageError(HEADER_MISMATCH, f"the header {name} has to be there, and as in the body")


def result_answer(message: AgentMessage, result: Mapping[str, Any]) -> Answer:
    """Return the response with the result of a request, always with the members of the newest revision."""
    whole = {"resultType": "complete", **result, "_meta": {f"{META}/serverInfo": SERVER}}
    return _answer(HTTPStatus.OK, message, {"result": whole})


def error_answer(wrong: MessageError, message: AgentMessage | None) -> Answer:
    """Return the response to a refused message; `message` is None if it could not be parsed.

    For errors in a request, the handshake revisions use status 200, and the newest one another status.
    """
    error = {"code": wrong.code, "message": str(wrong), **({"data": wrong.data} if wrong.data else {})}
    status = HTTPStatus.NOT_FOUND if wrong.code == UNKNOWN_METHOD else HTTPStatus.BAD_REQUEST
    if message is not None and not message.is_modern:
        status = HTTPStatus.OK
    answer = _answer(status, message, {"error": error})
    answer.why = str(wrong)
    return answer


def _answer(status: HTTPStatus, message: AgentMessage | None, said: Mapping[str, Any]) -> Answer:
    body = {"jsonrpc": "2.0", "id": message and message.id, **said}
    return Answer(status, [("Content-Type", JSON)], safe_json(orjson.dumps(body)))
