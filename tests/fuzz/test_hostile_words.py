"""Words of bad will wherever some are taken: on no page do they become more than words, sent again or stored.

Pages are found by their links, as a person finds them, and forms by the pages. Each form is bound to the
session and to the origin of its page, whatever it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from urllib.parse import quote, urlencode

import pytest

from handlers.trees import KINDS
from tests.fuzz.empty_world import ITEMS, PLAIN, EmptyWorld, every_path, open_world
from tests.kit.client import Answer, call

EVIL, LINK = "evil", "javascript:evil(1)"
OUT = "</textarea></title></script></style></template></option></select></code></pre></svg>-->]]>"
BREAK = f"{OUT}<evil onclick=evil(2) style=color:red><script>evil(3)</script>"
WORDS = (
    f"{BREAK}\"'` onevil=4 style='x' autofocus x=\" [evil]({LINK}) <{LINK}> [r][x] "
    f'![evil](data:text/html,evil "\' onevil=5") {{{{ 7 * 7 }}}} {{% evil %}}\n\n[x]: {LINK}\n'
)
LINE = " ".join(WORDS.split())
NAMES = ('"><evil onevil=6>.csv', f"'onevil=7 {BREAK.replace('/', ' ')}.md", f"{LINK}.txt")
ENDS = re.compile(r"/(status|data|accept|dismiss|password|timezone|remove|logout|auth|token)$|/runs/")
"""Paths whose files do something, or end what is there."""
LOADING = {"link", "script", "img", "source", "iframe", "object", "embed"}
LEADING = ("href", "src", "action", "formaction", "data", "srcset", "poster")
SCHEME = re.compile(r"[\s\x00-\x1f]*([a-z][a-z0-9+.-]*):", re.IGNORECASE)
ORIGIN, BROWSER = "http://localhost:8000", ("Accept", "text/html")
URLENCODED, MULTIPART, EDGE = "application/x-www-form-urlencoded", "multipart/form-data", "edge0123456789"
FURTHER = ("menu", "operator", "new/group", "forgotten", "verify", "reset", "login", "register")
TYPED = {"text", "search", "email", "password", "url", "textarea"}
MOST_OF_A_SORT = 3
PART = "Content-Disposition: form-data; "

pytestmark = pytest.mark.no_cover


@dataclass
class Form:
    """A form as it stands on a page: the fields that somebody types into, and other aims of its buttons."""

    action: str
    has_parts: bool = False
    fields: dict[str, str] = field(default_factory=dict)
    typed: list[str] = field(default_factory=list)
    aims: list[str] = field(default_factory=list)

    def add(self, tag: str, attributes: dict[str, str]) -> None:
        """Take a field, or the first button."""
        kind = attributes.get("type", "text") if tag == "input" else tag
        self.aims += [attributes["formaction"]] if "formaction" in attributes else []
        if tag == "button" and ("do" in self.fields or "formaction" in attributes):
            return
        if "name" in attributes and (kind not in ("checkbox", "radio", "file") or "checked" in attributes):
            self.fields[attributes["name"]] = attributes.get("value", "")
        if "name" in attributes and kind in TYPED:
            self.typed.append(attributes["name"])


class Page(HTMLParser):
    """Notes what the words of others have become, and where one may go on from here."""

    def __init__(self, path: str, body: str) -> None:
        super().__init__()
        self.path = path.partition("?")[0]
        self.faults: list[str] = []
        self.links: list[str] = []
        self.forms: list[Form] = []
        self._open = False
        self.feed(body)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Judge an element and all its attributes."""
        attributes = {name: value or "" for name, value in attrs}
        acts = [name for name in attributes if name.startswith("on") or name in ("style", "srcdoc")]
        is_foreign = tag == "script" and not attributes.get("src", "").startswith("/static/")
        if tag == EVIL or acts or is_foreign:
            self.faults.append(f"{self.path}: <{tag} {attributes}>")
        for name in LEADING:
            self._lead(tag, name, attributes.get(name, ""))
        if tag == "form":
            self._open = attributes.get("method") == "post"
            if self._open:
                has_parts = attributes.get("enctype") == MULTIPART
                self.forms.append(Form(attributes.get("action") or self.path, has_parts))
        elif tag in ("input", "textarea", "select", "button") and self._open:
            self.forms[-1].add(tag, attributes)

    def handle_endtag(self, tag: str) -> None:
        """Close a form."""
        self._open = self._open and tag != "form"

    def _lead(self, tag: str, name: str, to: str) -> None:
        scheme = SCHEME.match(to)
        is_far = bool(scheme) or to.startswith("//")
        if scheme and scheme[1].lower() not in ("http", "https", "mailto", "tel"):
            self.faults.append(f"{self.path}: <{tag} {name}={to[:80]}>")
        if is_far and tag in LOADING | {"form", "button"} and not to.startswith(f"{ORIGIN}/"):
            self.faults.append(f"{self.path}: <{tag} {name}={to[:80]}> is elsewhere")
        if tag == "a" and re.match(r"/(?!/|v1/|docs|static|git/)", to):
            self.links.append(to.partition("#")[0])


class Reader:
    """Somebody with a session, who opens pages and sends forms."""

    def __init__(self, empty_world: EmptyWorld) -> None:
        self._app = empty_world.app
        self.cookie = ""
        secret = {"username": "fuzz", "password": empty_world.service.password("fuzz")}
        answer = self.send(Form("/login"), secret)
        self.cookie = answer.headers["set-cookie"].partition(";")[0]

    def open(self, path: str) -> Answer:
        """The answer to a link."""
        return call(self._app, "GET", path, [BROWSER, ("Cookie", self.cookie)])

    def send(self, form: Form, fields: dict[str, str], *, origin: str = ORIGIN) -> Answer:
        """The answer to a form with these fields."""
        parts = (f'--{EDGE}\r\n{PART}name="{name}"\r\n\r\n{text}\r\n' for name, text in fields.items())
        body = f"{''.join(parts)}--{EDGE}--\r\n" if form.has_parts else urlencode(fields)
        kind = f"{MULTIPART}; boundary={EDGE}" if form.has_parts else URLENCODED
        headers = [BROWSER, ("Content-Type", kind), ("Origin", origin), ("Cookie", self.cookie)]
        return call(self._app, "POST", form.action, headers, body.encode())


@pytest.fixture(scope="module")
def empty_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmptyWorld]:
    """The service with words of bad will in every place that took them."""
    with open_world(tmp_path_factory.mktemp("words")) as empty_world:
        files = dict.fromkeys(NAMES, WORDS) | {"README.md": f"# {WORDS}<evil>{WORDS}</evil>"}
        recipe = f"FROM scratch\nENV ECHO={BREAK}\nENV WRITE=evil.txt={LINE}\n"
        empty_world.service.push("fuzz/heron", files | {"Containerfile": recipe})
        empty_world.service.arrange("group", ["@fuzz~flock"], [])
        empty_world.populate()
        empty_world.ask("POST", f"{ITEMS['plots']}/data", f"{LINE},n\n{LINE},1\n".encode(), PLAIN)
        for name in NAMES:
            empty_world.ask("PUT", f"{ITEMS['spaces']}/content/{quote(name)}", WORDS.encode(), PLAIN)
        for path in ITEMS.values():
            for name in ("threads/talk", "threads/talk/comments/first", "vars/size"):
                empty_world.ask("PUT", f"{path}/{name}", WORDS.encode(), PLAIN)
        talk = {"group": ["flock"], "topic": ["@fuzz~talk"], "comment": ["@fuzz~first"], "var": ["size"]}
        empty_world.known |= talk
        taken = [
            path for path in every_path(empty_world) if not ENDS.search(path) and took(empty_world, path)
        ]
        assert len(taken) > 60, taken
        yield empty_world


def took(empty_world: EmptyWorld, path: str) -> bool:
    """Whether a file took words of bad will, as many lines or as one."""
    return any(
        empty_world.ask("POST", path, text.encode(), PLAIN).status < 300 for text in (WORDS, LINE, LINK)
    )


def confined(answer: Answer) -> bool:
    """Whether an answer is sandboxed, or a page that forbids frames and foreign scripts."""
    policy = answer.headers["content-security-policy"]
    own = "frame-ancestors 'none'" in policy and "script-src 'nonce-" in policy and "unsafe" not in policy
    return own or "; sandbox;" in policy


@pytest.fixture(scope="module")
def reader(empty_world: EmptyWorld) -> Reader:
    """The owner of all of it, in a browser."""
    return Reader(empty_world)


@pytest.fixture(scope="module")
def pages(reader: Reader) -> Sequence[Page]:
    """Every page that links lead to, of each sort some."""
    paths = [f"/{one}" for one in ("", *FURTHER, f"search?q={quote(LINE[:200])}", f"u/fuzz/{quote(LINE)}")]
    found, seen, sorts = [], set(paths), {}
    for path in paths:
        answer = reader.open(path)
        if answer.status == 303 or "text/html" not in answer.headers["content-type"]:
            continue
        assert answer.status in (200, 404) and confined(answer), (path, answer.status)
        page = Page(path, answer.body.decode())
        found.append(page)
        for link in page.links:
            sort = re.sub(r"\d{8}-\w+|[0-9a-f]{40}|=[^&]*|content/.*", "", link)
            sorts[sort] = sorts.get(sort, 0) + 1
            if link not in seen and sorts[sort] <= MOST_OF_A_SORT:
                seen.add(link)
                paths.append(link)
    return found


def test_words_stay_words_on_every_page(pages: Sequence[Page]) -> None:
    assert [one for page in pages for one in page.faults] == []
    paths = {page.path for page in pages}
    for kind in KINDS.values():
        assert {f"/u/fuzz/{kind.letter}/heron{part}" for part in ("", "/settings", "/share")} <= paths
    assert len(paths) > 80, sorted(paths)


def test_every_form_is_bound_to_its_session_and_its_origin(reader: Reader, pages: Sequence[Page]) -> None:
    forms = [form for page in pages for form in page.forms]
    forms += [replace(form, action=aim, aims=[]) for form in forms for aim in form.aims]
    sent = {(form.action, form.fields.get("do", "")): form for form in forms}
    assert len(sent) > 60, sorted(sent)
    assert "/u/fuzz/d/heron/edit/preview" in {action for action, _ in sent}
    for (action, do), form in sent.items():
        for fields, origin in (
            ({**form.fields, "token": ""}, ORIGIN),
            ({**form.fields, "token": "0" * 64}, ORIGIN),
            (form.fields, "https://evil.example"),
            (form.fields, "null"),
        ):
            answer = reader.send(form, fields, origin=origin)
            assert answer.status == 403, (action, do, origin, answer.status)
            assert Page(action, answer.body.decode()).faults == []


def test_a_preview_runs_nothing_and_stands_in_frames_of_its_page_alone(
    reader: Reader, pages: Sequence[Page]
) -> None:
    forms = {form.action: form for page in pages for form in page.forms if form.action.endswith("/edit")}
    for kind, content in (("d", f"# Words\n\n{LINE}\n"), ("m", f"Words\n\n{LINE}\n")):
        form = forms[f"/u/fuzz/{kind}/heron/edit"]
        answer = reader.send(replace(form, action=form.aims[0]), {**form.fields, "text.content": content})
        policy = answer.headers["content-security-policy"]
        assert "; sandbox;" in policy and "frame-ancestors 'self'" in policy, (kind, answer.status, policy)
        assert "script-src" not in policy and answer.headers["x-content-type-options"] == "nosniff"


def test_what_is_typed_is_shown_again_as_words(reader: Reader, pages: Sequence[Page]) -> None:
    sent = {(form.action, form.fields.get("do", "")): form for page in pages for form in page.forms}
    for (action, do), form in sent.items():
        if not form.typed or action == "/logout":
            continue
        for text in (WORDS, LINE, LINK):
            answer = reader.send(form, form.fields | dict.fromkeys(form.typed, text))
            assert answer.status < 500 and answer.status != 429, (action, do, answer.status)
            if answer.status == 303:
                to = answer.headers["location"]
                assert re.match(r"/(?!/)", to), to
                answer = reader.open(to)
            assert Page(action, answer.body.decode()).faults == [] and confined(answer), (action, do)
