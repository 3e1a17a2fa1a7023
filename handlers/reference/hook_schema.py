"""The JSON Schema of the messages that hooks send in the standard form."""

from __future__ import annotations

from collections.abc import Mapping

_TEXT: Mapping[str, str] = {"type": "string"}
_TIME: Mapping[str, str] = {"type": "string", "format": "date-time"}
_EVENT: Mapping[str, str] = {
    "event_class": "content, resource, share, comment or run",
    "event_type": "the kind of the event, as `type`",
    "target_fqnp": "the address of what it happened to, below that of the server",
    "actor": "the user who did it; empty if you do not see that account",
    "level": "info",
}
HOOK_SCHEMA: Mapping[str, object] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A message of a hook",
    "type": "object",
    "required": ["type", "timestamp", "data"],
    "additionalProperties": False,
    "properties": {
        "type": {
            "type": "string",
            "pattern": "^[a-z0-9]+([_.][a-z0-9]+)*$",
            "description": "the kind of the event, such as run_failed; test for a test",
        },
        "timestamp": {**_TIME, "description": "when it happened"},
        "data": {
            "type": "object",
            "description": "what happened; a message that is no event has further fields",
            "properties": {
                "text": {**_TEXT, "description": "a sentence about it, which chats show"},
                "url": {**_TEXT, "description": "the page of what it happened to"},
                **{name: {**_TEXT, "description": about} for name, about in _EVENT.items()},
                "ts": {**_TIME, "description": "when it happened"},
            },
            "dependentRequired": {"event_type": ["text", "url", "ts", *_EVENT]},
        },
    },
}
