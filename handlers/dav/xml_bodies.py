"""XML that clients of a drive send (RFC 4918, section 14): read within bounds, without DTD."""

from __future__ import annotations

from typing import Any, NamedTuple
from xml.etree.ElementTree import XML, Element, ParseError, TreeBuilder, XMLParser, tostring

from vfs.body import Body
from vfs.errors import Invalid, TooLarge

LARGEST = 64 << 10
DEEPEST = 32
MOST_ELEMENTS = 2_000
MOST_ASKED = 100
LONGEST_OWNER = 1 << 10
LONGEST_NAME = 255
DAV = "{DAV:}"


class AskedProperties(NamedTuple):
    """Properties that are asked for: these (None: all), or (`names_only`) the names of all."""

    names: tuple[str, ...] | None = None
    names_only: bool = False


class PropertyChange(NamedTuple):
    """A property to be set to this XML, or (None) to be removed."""

    name: str
    xml: str | None


class LockOrder(NamedTuple):
    """A lock that is asked for, with what the client says of the person."""

    exclusive: bool
    about: str


class _BoundedBuilder(TreeBuilder):
    """A builder of elements that refuses too many, too deep ones, long names, and document types (entities).

    Names are repeated with their whole namespace, in memory and in answers, so short ones save much.
    """

    def __init__(self) -> None:
        super().__init__()
        self._depth = self._count = 0

    def start_ns(self, prefix: str, namespace: str) -> None:
        """Raise TooLarge for a long namespace."""
        _admit_name(namespace)

    def start(self, tag: Any, attrs: Any) -> Element:
        _admit_name(tag)
        self._depth += 1
        self._count += 1
        if self._depth > DEEPEST or self._count > MOST_ELEMENTS:
            raise TooLarge(f"the XML has more than {DEEPEST} levels or {MOST_ELEMENTS} elements")
        return super().start(tag, attrs)

    def end(self, tag: Any) -> Element:
        self._depth -= 1
        return super().end(tag)

    def doctype(self, *_: object) -> None:
        """Raise Invalid."""
        raise Invalid("the XML has a document type, which is not accepted here: leave out <!DOCTYPE>")


def _admit_name(name: str) -> None:
    if len(name) > LONGEST_NAME:
        raise TooLarge(f"a name in the XML has more than {LONGEST_NAME} characters with its namespace")


def read_xml(body: Body) -> Element | None:
    """Return the root of the XML in a body; None without a body. Raises Invalid, TooLarge."""
    raw = b"".join(body.chunks(LARGEST))
    try:
        return XML(raw, XMLParser(target=_BoundedBuilder())) if raw else None
    except (ParseError, ValueError, LookupError) as wrong:
        raise Invalid(f"the body is not XML with namespaces: {wrong}") from None


def asked_properties(root: Element | None) -> AskedProperties:
    """Return what a PROPFIND asks for; all without a body. Raises Invalid, TooLarge."""
    if root is None:
        return AskedProperties()
    if root.tag == f"{DAV}propfind":
        if (named := root.find(f"{DAV}prop")) is not None:
            names = tuple(dict.fromkeys(one.tag for one in named))
            if len(names) > MOST_ASKED:
                raise TooLarge(f"a PROPFIND asks for at most {MOST_ASKED} properties")
            return AskedProperties(names)
        if root.find(f"{DAV}propname") is not None:
            return AskedProperties(names_only=True)
        if root.find(f"{DAV}allprop") is not None:
            return AskedProperties()
    raise Invalid("a PROPFIND sends <propfind> with prop, propname or allprop, or no body")


def property_changes(root: Element | None) -> list[PropertyChange]:
    """Return what a PROPPATCH changes, in order. Raises Invalid."""
    if root is None or root.tag != f"{DAV}propertyupdate":
        raise Invalid("a PROPPATCH sends <propertyupdate> with set and remove")
    changes = []
    for act in root:
        for one in act.iterfind(f"{DAV}prop/*"):
            one.tail = None
            changes.append(PropertyChange(one.tag, xml_of(one) if act.tag == f"{DAV}set" else None))
    return changes


def lock_order(root: Element) -> LockOrder:
    """Return the lock that is asked for. Raises Invalid, TooLarge."""
    scope = root.find(f"{DAV}lockscope")
    kinds = [one.tag for one in scope] if scope is not None else []
    is_write = root.find(f"{DAV}locktype/{DAV}write") is not None
    if root.tag != f"{DAV}lockinfo" or not is_write or kinds not in ([f"{DAV}exclusive"], [f"{DAV}shared"]):
        raise Invalid("a LOCK sends <lockinfo> with a write lock that is exclusive or shared")
    about = root.find(f"{DAV}owner")
    if about is not None:
        about.tail = None
    said = xml_of(about) if about is not None else ""
    if len(said) > LONGEST_OWNER:
        raise TooLarge(f"the owner of a lock has at most {LONGEST_OWNER} characters")
    return LockOrder(kinds == [f"{DAV}exclusive"], said)


def xml_of(element: Element) -> str:
    """Return an element as text that stands anywhere."""
    return tostring(element, "unicode")
