"""Previews: a visual drawn with trial texts; nothing is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace

from handlers.rendering.render_kinds import MEDIA_TYPES
from handlers.rules.render_options import FORM_OPTIONS, NO_DEFAULTS, FormOptions, Options, options_of
from handlers.services.previews import preview_world
from handlers.services.renderings import RenderRecipe, notes_of, render
from handlers.services.viewer import Viewer, hints_of
from handlers.services.world import World
from handlers.trees.facets.contexts import viewer_of
from vfs.body import Body
from vfs.call import Data, Form, KeptBytes, Reply
from vfs.context import Context
from vfs.errors import Invalid, WrongMedia
from vfs.nodes import MIB, Dir, File, Node
from vfs.parts import action
from vfs.ports.items import Item
from vfs.rules import COVERED, SIGNED_IN, R, Rule

PREVIEW = "preview"
"""Name of the file to which the texts are sent."""
JSON, FORM = "application/json", "multipart/form-data"
LARGEST = 4 * MIB
"""Most bytes of all texts of a preview, as they are sent."""
MOST_NAMED, LONGEST_SHOWN = 10, 80
AS_TEXT = ("svg", "html", "txt")
"""Formats whose content can be quoted in JSON."""
QUERY = {"form": "the form, in place of the one that Accept prefers"}
DRAFT = "draft"
ABOUT = "draws it with the sent texts instead of its own, and stores nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewWay:
    """The way in which a kind draws its previews.

    `leaves` are the names of the files and folders whose texts are drawn. `forms` are the available formats;
    the first is the default. `remarks` returns the lines of the kind's log that the drawing does not make.
    `defaults` and `known` are those of the rendered files.
    """

    recipe: RenderRecipe
    leaves: tuple[str, ...]
    forms: tuple[str, ...]
    remarks: Callable[[Context[World]], Iterable[str]] = lambda context: ()
    defaults: Options = field(default_factory=lambda: NO_DEFAULTS)
    known: FormOptions = field(default_factory=lambda: FORM_OPTIONS)
    largest: int = LARGEST


def preview_file(way: PreviewWay, nodes: Mapping[str, Node]) -> File:
    """Return the file that draws a visual with these nodes from the texts sent to it."""
    return _drawing(way, nodes, lambda context: context.here, R & SIGNED_IN & COVERED, ABOUT)


def draft_file(way: PreviewWay, kind: str, nodes: Mapping[str, Node], about: str) -> File:
    """Return the file that draws the texts sent to it as a visual of a kind that is not created yet."""

    def draft(context: Context[World]) -> Item:
        return Item(0, kind, context.caller.name or "", DRAFT, "", "", "")

    return _drawing(way, nodes, draft, SIGNED_IN, about)


def _drawing(
    way: PreviewWay,
    nodes: Mapping[str, Node],
    item_of: Callable[[Context[World]], Item],
    needs: Rule,
    about: str,
) -> File:
    files = dict(stored_texts({name: nodes[name] for name in way.leaves}))

    def write(context: Context[World], body: Body) -> Reply:
        # Previews take at most half of the slots; the rest is for other long calls.
        context.call.ongoing.begin(spare=True)
        texts, item = read_texts(files, receive(body, way.largest, len(files))), item_of(context)
        tried = _with_texts(context, item, texts)
        return draw(tried, viewer_of(tried, item), way)

    schema = {"type": "object", "properties": {rel: {"type": "string"} for rel in files}}
    return action(
        write,
        needs=needs,
        wants="raw",
        media=(JSON, FORM),
        schema=schema,
        largest=way.largest,
        long=True,
        query=QUERY,
        about=about,
    )


def stored_texts(nodes: Mapping[str, Node], folder: str = "") -> Iterator[tuple[str, File]]:
    """Yield the files among nodes and their folders that store sent text unchanged, by their paths."""
    for name, node in nodes.items():
        rel = f"{folder}{name}"
        if isinstance(node, Dir):
            yield from stored_texts(node.children, f"{rel}/")
        elif isinstance(node, File) and (node.wants, node.write, node.accept) == ("text", None, None):
            yield rel, node


def receive(body: Body, largest: int, most: int) -> Mapping[str, object]:
    """Return the sent texts by name; none for an empty body. Raises Invalid, TooLarge, WrongMedia."""
    if body.media == FORM:
        return body.form_texts(largest, most)
    if body.media is None and body.empty():
        return {}
    if body.media != JSON:
        raise WrongMedia(
            f'a preview takes JSON such as {{"config/type": "line"}} ({JSON}), or a form with a part for '
            "each text (curl -F data=@sales.csv)"
        )
    sent = body.data(largest)
    if not isinstance(sent, Mapping):
        raise Invalid('send a JSON object of texts by their paths, such as {"config/type": "line"}')
    return sent


def read_texts(files: Mapping[str, File], sent: Mapping[str, object]) -> Mapping[str, str]:
    """Return the texts as they would be stored. Raises Invalid with each mistake and its position."""
    texts, rejected = dict[str, str](), list[Mapping[str, object]]()
    for rel, text in sent.items():
        try:
            texts[rel] = _admit(files, rel, text)
        except Invalid as wrong:
            entries = wrong.members.get("rejected") or [{"reason": wrong.detail}]
            rejected += [{"field": rel[:LONGEST_SHOWN], **entry} for entry in entries]
    if rejected:
        first = rejected[:MOST_NAMED]
        raise Invalid("; ".join(map(_sentence, first)), rejected=first)
    return texts


def _admit(files: Mapping[str, File], rel: str, text: object) -> str:
    node = files.get(rel)
    if node is None:
        raise Invalid(f"it is not a text that a preview draws: send one of {_name_some(files)}")
    if not isinstance(text, str):
        raise Invalid("it is no text: send a string")
    if "\0" in text:
        raise Invalid("it contains a NUL character: only text is accepted here")
    if len(text.encode()) > node.largest:
        raise Invalid(f"it is larger than the {node.largest:,} bytes that fit there")
    return node.check(text) if node.check is not None else text


def _name_some(files: Mapping[str, File]) -> str:
    """Return the first names of texts, for a refusal."""
    some = list(files)[:MOST_NAMED]
    return ", ".join([*some, "others below config"] if len(some) < len(files) else some)


def _sentence(entry: Mapping[str, object]) -> str:
    """Return an entry of `rejected` as a sentence."""
    where = f" (line {entry['line']}, column {entry['column']})" if entry.get("line") else ""
    return f"{entry['field']}{where}: {entry['reason']}"


def _with_texts(context: Context[World], item: Item, texts: Mapping[str, str]) -> Context[World]:
    """Return the context in a world where an item has these texts, written by the caller.

    So referenced items are shown only if both the caller and the owner may see them.
    """
    tried = copy(context)
    tried.call = replace(
        context.call, world=preview_world(context.world, item, texts, context.caller.author_in(item.kind))
    )
    tried.memo = {}
    return tried


def draw(context: Context[World], viewer: Viewer, way: PreviewWay) -> Reply:
    """Return the requested format of the viewer's item as a file, or as JSON with the lines of the log."""
    by_media = {MEDIA_TYPES[form]: form for form in reversed(way.forms)}
    offered = [MEDIA_TYPES[form] for form in way.forms]
    is_data = context.call.want is Form.DATA
    media = hints_of(context.call).prefers([JSON, *offered] if is_data else offered)
    form = _form_of_query(context, way) or by_media.get(media, way.forms[0])
    options = options_of(form, context.call.query, way.defaults, way.known)
    made = render(viewer, way.recipe, form, options)
    if media != JSON or form not in AS_TEXT:
        return Reply(replace(made, is_framed=not made.is_scripted), inline=True)
    log = [*notes_of(viewer, way.recipe, options, form), *way.remarks(context)]
    return Reply(Data({"form": form, "media": made.media, "body": _text(made), "log": log}))


def _form_of_query(context: Context[World], way: PreviewWay) -> str:
    """Return the format that the query asks for, or "". Raises Invalid for an unavailable one."""
    form = context.call.query.get("form", "")
    if form and form not in way.forms:
        raise Invalid(
            f'"{form[:LONGEST_SHOWN]}" is no form of this preview: ask for one of {", ".join(way.forms)}'
        )
    return form


def _text(made: KeptBytes) -> str:
    with made.open() as file:
        return file.read().decode()
