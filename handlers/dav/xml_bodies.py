"""XML that clients of a drive send (RFC 4918, section 14), parsed within limits and without DTD."""

from __future__ import annotations

from typing import Any, NamedTuple
from xml.etree.ElementTree import XML, Element, ParseError, TreeBuilder, XMLParser, tostring

from vfs.body import Body
from vfs.errors import Invalid, TooLarge

LARGEST = 64 << 10
MOST_TAGS = 800
MOST_ASKED = 100
LONGEST_OWNER = 1 << 10
LONGEST_NAME = 255
DAV = "{DAV:}"


class AskedProperties(NamedTuple):
    """The requested properties (None: all), or with `names_only` the names of all."""

    names: tuple[str, ...] | None = None
    names_only: bool = False


class _BoundedBuilder(TreeBuilder):
    """A builder of elements that refuses long names, and document types (entities).

    Names are repeated with their whole namespace, in memory and in responses, so they must be short.
    """

    def start_ns(self, prefix: str, namespace: str) -> None:
        """Raise TooLarge for a long namespace."""
        _admit_name(namespace)

    def start(self, tag: Any, attrs: Any) -> Element:
        _admit_name(tag)
        return super().start(tag, attrs)

    def doctype(self, *_: object) -> None:
        """Raise Invalid."""
        raise Invalid("the XML has a document type, which is not accepted here: leave out <!DOCTYPE>")


def _admit_name(name: str) -> None:
    if len(name) > LONGEST_NAME:
        raise TooLarge(f"a name in the XML has more than {LONGEST_NAME} characters with its namespace")


def read_xml(body: Body) -> Element | None:
    """Return the root of the XML in a body; None without a body. Raises Invalid, TooLarge."""
    raw = b"".join(body.chunks(LARGEST))
    if raw.count(b"<") > MOST_TAGS:  # in every encoding of the parser; serialising nested elements recurses
        raise TooLarge(f"the XML has more than {MOST_TAGS} tags")
    try:
        return XML(raw, XMLParser(target=_BoundedBuilder())) if raw else None
    except (ParseError, ValueError, LookupError) as wrong:
        raise Invalid(f"the body is not XML with namespaces: {wrong}") from None


def asked_properties(root: Element | None) -> AskedProperties:
    """Return the properties that a PROPFIND requests; all without a body. Raises Invalid, TooLarge."""
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


def property_changes(root: Element | None) -> list[tuple[str, str | None]]:
    """Return the changes of a PROPPATCH: names, each with its XML or None to remove it. Raises Invalid."""
    if root is None or root.tag != f"{DAV}propertyupdate":
        raise Invalid("a PROPPATCH sends <propertyupdate> with set and remove")
    changes = []
    for act in root:
        for one in act.iterfind(f"{DAV}prop/*"):
            one.tail = None
            changes.append((one.tag, xml_of(one) if act.tag == f"{DAV}set" else None))
    return changes


def lock_order(root: Element) -> tuple[bool, str]:
    """Return whether a LOCK requests an exclusive lock, and its owner. Raises Invalid, TooLarge."""
    scope = root.find(f"{DAV}lockscope")
    kinds = [one.tag for one in scope] if scope is not None else []
    is_write = root.find(f"{DAV}locktype/{DAV}write") is not None
    if root.tag != f"{DAV}lockinfo" or not is_write or kinds not in ([f"{DAV}exclusive"], [f"{DAV}shared"]):
        raise Invalid("a LOCK sends <lockinfo> with a write lock that is exclusive or shared")
    said = "".join(xml_of(about).strip() for about in root.iterfind(f"{DAV}owner"))
    if len(said) > LONGEST_OWNER:
        raise TooLarge(f"the owner of a lock has at most {LONGEST_OWNER} characters")
    return kinds == [f"{DAV}exclusive"], said


def xml_of(element: Element) -> str:
    """Return an element as text, which declares its own namespaces."""
    return tostring(element, "unicode")
