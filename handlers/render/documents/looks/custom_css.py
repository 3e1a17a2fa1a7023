"""The style sheet of a document's owner: styling is kept; what loads files or covers other content is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import tinycss2
from tinycss2.ast import AtRule, Declaration, Node, QualifiedRule

LONGEST = 256 * 1024
MOST_RULES = 2_000
DEEPEST = 6
GROUPS = {"media", "supports", "layer", "page", "top-left", "top-right", "top-center", "bottom-left",
          "bottom-right", "bottom-center", "footnote"}  # fmt: skip
FETCHING = {"url", "src", "image", "image-set", "-webkit-image-set", "element", "cross-fade", "expression"}
FLOWING = {"static", "relative", "inherit", "initial", "unset", "running"}
"""Values of `position` that keep a box in its place."""
TURNING = {"rotate", "skew", "skewx", "skewy"}
MOVING = {
    "translate", "scale", "zoom", "z-index", "top", "right", "bottom", "left", "inset",
    "inset-block", "inset-inline", "inset-block-start", "inset-block-end", "inset-inline-start",
    "inset-inline-end", "offset", "offset-path", "perspective", "animation", "animation-name",
    "view-transition-name", "anchor-name", "position-anchor", "position-area", "backdrop-filter",
}  # fmt: skip
FORBIDDEN = {"behavior", "-moz-binding", "src"}


class CheckedCss:
    """A parsed sheet: `css` is what is kept of it, `notes` name what is not."""

    def __init__(self, text: str, name: str = "custom.css") -> None:
        self.name = name
        self.notes: list[str] = []
        self.rules = 0
        if len(text) > LONGEST:
            self.notes.append(f"{name} is left out: it has more than {LONGEST // 1024} KiB")
            text = ""
        nodes = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
        self.css = "\n".join(self._rules(nodes, 0))

    def _rules(self, nodes: Sequence[Node], depth: int) -> Iterator[str]:
        for node in nodes:
            self.rules += 1
            if self.rules > MOST_RULES:
                self._note(node, f"no more than {MOST_RULES:,} rules are read")
                return
            if isinstance(node, QualifiedRule):
                yield f"{tinycss2.serialize(node.prelude).strip()}{{{self._body(node.content, depth)}}}"
            elif isinstance(node, AtRule):
                yield from self._group(node, depth)
            elif isinstance(node, Declaration):
                yield from self._declaration(node)
            elif node.type == "error":
                self._note(node, node.message)

    def _group(self, node: AtRule, depth: int) -> Iterator[str]:
        name = node.lower_at_keyword
        if name not in GROUPS or (node.content is None and name != "layer"):
            self._note(node, f"@{name} is left out")
        elif node.content is None:
            yield f"@{name} {tinycss2.serialize(node.prelude).strip()};"
        else:
            yield f"@{name} {tinycss2.serialize(node.prelude).strip()}{{{self._body(node.content, depth)}}}"

    def _body(self, content: Sequence[Node], depth: int) -> str:
        if depth >= DEEPEST:
            return ""
        nodes = tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True)
        return "".join(self._rules(nodes, depth + 1))

    def _declaration(self, node: Declaration) -> Iterator[str]:
        name = node.lower_name
        if name in FORBIDDEN or _fetches(node.value, 0):
            self._note(node, f"{name} is left out: nothing is fetched for a document")
        elif name in MOVING or not KEEPING.get(name, _is_free)(node.value):
            value = tinycss2.serialize(node.value).strip()[:40]
            self._note(node, f"{name}: {value} is left out: nothing may cover the page")
        else:
            important = " !important" if node.important else ""
            yield f"{node.name}:{tinycss2.serialize(node.value).strip()}{important};"

    def _note(self, node: Node, reason: str) -> None:
        if len(self.notes) < 50:
            self.notes.append(f"{self.name} line {node.source_line}, column {node.source_column}: {reason}")


def _flows(nodes: Sequence[Node]) -> bool:
    """Return whether a position keeps a box in the flow of the page; False if that is unknown."""
    said = [node for node in nodes if node.type not in ("whitespace", "comment")]
    names = [node.lower_value if node.type == "ident" else getattr(node, "lower_name", "") for node in said]
    return len(names) == 1 and names[0] in FLOWING


def _turns(nodes: Sequence[Node]) -> bool:
    """Return whether a transformation only turns a box about its middle."""
    said = [node for node in nodes if node.type not in ("whitespace", "comment")]
    return all(
        getattr(node, "lower_name", getattr(node, "lower_value", "")) in (*TURNING, "none") for node in said
    )


def _is_free(nodes: Sequence[Node]) -> bool:
    """Return True: a property that moves nothing may have any value."""
    return True


def _fetches(nodes: Sequence[Node], depth: int) -> bool:
    """Return whether a value contains an address, or is nested too deep to tell."""
    for node in nodes:
        if node.type in ("url", "bad-url") or (node.type == "error"):
            return True
        if node.type == "function" and node.lower_name in FETCHING:
            return True
        inner = getattr(node, "arguments", None) or (
            node.content if node.type in ("() block", "[] block", "{} block") else ()
        )
        if inner and (depth >= DEEPEST or _fetches(inner, depth + 1)):
            return True
    return False


KEEPING = {"position": _flows, "transform": _turns}
"""Properties that may only have values that keep a box in its place."""
