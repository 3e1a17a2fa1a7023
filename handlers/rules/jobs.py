"""Jobs: keys of former types that are never executed (decisions 31b), and the JSON schema of inputs."""

from __future__ import annotations

from collections.abc import Mapping

LEGACY = ("extract", "render", "filter", "group")
INPUTS = ("stdin", "argv", "input")


def json_schema(said: Mapping[str, str]) -> dict[str, object]:
    """Return the inputs that a job declares (config/options) as a JSON schema."""
    stand = {name: said.get(f"config/options/{name}", "no") for name in INPUTS}
    wanted = {name: stand[name] for name in INPUTS if stand[name] != "no"}
    properties: dict[str, object] = {name: _property(name, said) for name in wanted}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "required": [name for name, word in wanted.items() if word == "yes"],
        "additionalProperties": False,
    }


def _property(name: str, said: Mapping[str, str]) -> dict[str, object]:
    kind: dict[str, object] = {"type": "string"}
    if name == "argv":
        kind = {"type": "array", "items": {"type": "string"}}
    if name == "input":
        kind = {"type": "array", "items": {"type": "string", "contentEncoding": "base64"}}
    described = said.get(f"config/options/{name}_description")
    return {**kind, "description": described} if described else kind
