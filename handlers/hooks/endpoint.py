"""The addresses of hooks, `/h/<key>`: a POST by anybody who has one starts a run of its job."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import orjson

from chains.files.fsync import write_durably
from chains.runs.hooks import JobHook, JobHookCall
from handlers.http.bodies.body import RequestBody
from handlers.http.bodies.form_fields import all_fields
from handlers.http.bodies.multipart import store
from handlers.http.problems import problem_type_of, refusal
from handlers.http.request_head import RequestHead
from handlers.http.response import JSON, PLAIN, Answer
from handlers.identity.credentials import digest
from handlers.rules.addresses import HOOK
from handlers.rules.hook_files import FOLDER, UNSIGNED, BadSignature, check_signature
from handlers.services.run_notices import notify_rejected
from handlers.services.runs.kept_inputs import ALONE, NO_INPUT, StoredInput, bring_input
from handlers.services.runs.run_ends import ENABLED, is_paused
from handlers.services.runs.run_trigger import Overlapping, RunRequest, order, require_room
from handlers.services.world import World
from handlers.words.terminal_signs import safe_words
from vfs.access import EVERYBODY, Verb
from vfs.errors import (
    Conflict,
    Denied,
    Invalid,
    NoSpace,
    NotFound,
    QuotaReached,
    TooLarge,
    TooMany,
    Unavailable,
    Unsupported,
    VfsError,
    WrongMedia,
)
from vfs.ports.clock import stamp
from vfs.ports.items import Item
from vfs.ports.people import Limit

FILES, FORM = "multipart/form-data", "application/x-www-form-urlencoded"
REQUEST = "request.json"
NAMES = {"text/csv": "input.csv", "application/xml": "input.xml", "text/xml": "input.xml"}
MOST_FIELDS = 1000
LONGEST_CHALLENGE = 16 << 10

Environ = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CallInput:
    """A call whose body has arrived: its media type, its bytes, and the headers for its run."""

    content_type: str
    content: bytes
    headers: Mapping[str, str] | None

    @property
    def body(self) -> RequestBody:
        """The body, to be read like that of any request."""
        stream, length = BytesIO(self.content), str(len(self.content))
        return RequestBody(
            {"CONTENT_TYPE": self.content_type, "CONTENT_LENGTH": length, "wsgi.input": stream}
        )

    @property
    def is_json(self) -> bool:
        """Whether the body is a JSON document, by its media type."""
        media = self.body.media or ""
        return media == JSON or media.endswith("+json")

    def challenge(self) -> str | None:
        """Return the word that Slack wants back before it sends anything; None for other calls."""
        if not self.is_json or len(self.content) > LONGEST_CHALLENGE or b"challenge" not in self.content:
            return None
        sent = orjson.loads(self.body.document(LONGEST_CHALLENGE))
        if not isinstance(sent, dict) or sent.get("type") != "url_verification":
            return None
        word = sent.get("challenge")
        return word if isinstance(word, str) and word.isascii() and word.isprintable() else None


def header_of(environ: Environ, name: str) -> str:
    """Return a header of a request, "" if it was not sent."""
    word = name.upper().replace("-", "_")
    return str(environ.get(word if word in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{word}", ""))


def bring_call(world: World, job: Item, hook: str, call: CallInput) -> StoredInput:
    """Return a new folder with the input of a call, which is kept for repetitions.

    Anybody who has the address may have sent it. Raises Invalid, TooLarge, WrongMedia, NoSpace, Unavailable.
    """
    behind = {EVERYBODY: f"anybody who has the address of the hook {hook} could send the input"}
    if not call.content and not call.is_json and call.body.media != FILES and call.headers is None:
        return NO_INPUT._replace(behind=behind)

    def write(folder: Path) -> None:
        _write_body(world, call, folder)
        if call.headers is not None:
            _write_document(folder / REQUEST, {"hook": hook, "headers": dict(call.headers)})

    return bring_input(world, job, write)._replace(behind=behind)


def _write_body(world: World, call: CallInput, folder: Path) -> None:
    body, limit, parts = call.body, len(call.content), world.service.settings.input_parts
    if call.is_json:
        write_durably(folder / ALONE, body.document(limit))
    elif body.media == FILES:
        fields = all_fields(call.body.chunks(limit), call.content_type, MOST_FIELDS)
        if not fields:
            body.files(folder, limit, parts)
            return
        store(call.body.chunks(limit), call.content_type, folder, parts, form=True)
        _write_document(folder / ALONE, _joined(fields))
    elif body.media == FORM:
        _write_document(folder / ALONE, _joined(_form_fields(call.content)))
    elif call.content:
        usual = "input.txt" if (body.media or "").startswith("text/") else "input.bin"
        write_durably(folder / NAMES.get(body.media or "", usual), call.content)


def _write_document(place: Path, said: object) -> None:
    if place.exists():
        raise Invalid(f'no file that is sent here may be named "{place.name}": rename it')
    write_durably(place, orjson.dumps(said))


def _form_fields(content: bytes) -> list[tuple[str, str]]:
    """Return the fields of a form. Raises Invalid, also for JSON that curl's -d sent as a form."""
    if content.lstrip()[:1] in (b"{", b"["):
        raise Invalid("this is JSON, sent as a form: send it with  -H 'Content-Type: application/json'")
    try:
        return parse_qsl(
            content.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise Invalid(f"the form is malformed, not in UTF-8, or has over {MOST_FIELDS} fields") from None


def _joined(fields: list[tuple[str, str]]) -> dict[str, str | list[str]]:
    """Return fields as an object; the values of a repeated field are a list."""
    found: dict[str, list[str]] = {}
    for name, value in fields:
        found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


log = logging.getLogger("curlew")

SOURCE = "hook"
MINUTE = 60
LONGEST_REASON = 300
ABOUT = b"This is the address of a hook: a POST to it starts something.\n"
UNKNOWN = "there is no such hook: ask for its present address"
UNSURE = "the signature is missing, wrong or old: the log of the hook says which"
OWN_WORDS = (Invalid, TooLarge, WrongMedia, NotFound, Denied)
"""Errors that reveal only what the caller knows. The messages of others are replaced by `WORDS`."""
WORDS: tuple[tuple[type[VfsError], type[VfsError], str], ...] = (
    (QuotaReached, TooMany, "no more runs fit at present: call again later"),
    (TooMany, TooMany, "too many calls: call again later"),
    (Unavailable, Unavailable, "the service is busy: call again later"),
    (NoSpace, NoSpace, "the service has no space left: call again later"),
    (VfsError, Conflict, "no run could be started: the log of the hook says why"),
)


class _Done(NamedTuple):
    """The result of a call: its answer, its run, and a remark for the log."""

    answer: Answer
    run: str | None = None
    why: str = ""


class HookDoor:
    """Answers all requests below `/h/`."""

    def __init__(self, world: World) -> None:
        self._world = world

    def __call__(self, head: RequestHead) -> Answer:
        """Return the response. A GET has the same one at every address, as services test it first."""
        if head.method in ("GET", "HEAD"):
            return Answer(HTTPStatus.OK, [("Content-Type", PLAIN)], ABOUT, cache="no-store")
        if head.method == "OPTIONS":
            return Answer(HTTPStatus.NO_CONTENT, [("Allow", "GET, HEAD, POST, OPTIONS")])
        try:
            if head.method != "POST":
                raise Unsupported("a hook takes POST", allow=(Verb.READ, Verb.WRITE))
            with self._world.session():
                return self._answer(head, digest(head.raw.removeprefix(f"/{HOOK}/")))
        except VfsError as refused:
            return refusal(refused, head)

    def _answer(self, head: RequestHead, key: str) -> Answer:
        """Answer a call and record it. Raises VfsError in words for strangers."""
        world = self._world
        job, hook = _require(world, key)
        body = RequestBody(head.environ)
        announced = header_of(head.environ, "Content-Length")
        size = int(announced) if announced.isdigit() and len(announced) < 16 else 0
        try:
            _admit(world, job, hook)
            content = _receive(world, body)
            size = len(content)
            done = _run(world, head, job, hook, content)
        except VfsError as refused:
            # No other cause: that of a disk or a database would describe the host.
            wrong = refused.__cause__ if isinstance(refused.__cause__, BadSignature) else refused.detail
            # It may quote sent text, with control characters for terminals, which PostgreSQL refuses.
            why = safe_words(str(wrong))[:LONGEST_REASON]
            run = refused.members.get("run") if isinstance(refused, Conflict) else None
            call = JobHookCall(stamp(world.clock.now()), problem_type_of(refused).status, size, run, why)
            _note(world, hook, call, once=isinstance(refused, TooMany))
            raise _for_strangers(refused) from None
        call = JobHookCall(stamp(world.clock.now()), done.answer.status, size, done.run, done.why)
        _note(world, hook, call)
        return done.answer


def _require(world: World, key: str) -> tuple[Item, JobHook]:
    """Return the job and the hook of a key. Raises the same NotFound for all unknown keys."""
    found = world.code.hooks.find(key)
    if found is None:
        raise NotFound(UNKNOWN)
    return found


def _admit(world: World, job: Item, hook: JobHook) -> None:
    """Raise TooMany for calls that come too often, and Conflict while the job is paused."""
    most = Limit(f"calls of the hook {hook.digest}", world.service.settings.hook_calls, MINUTE)
    if wait := world.people.rates.take([most]):
        raise TooMany(f"more than {most.most} calls came within a minute", retry_after=wait)
    _require_enabled(world, job)


def _require_enabled(world: World, job: Item) -> None:
    if is_paused(world, job.id):
        raise Conflict(f'the job is paused: write "true" to {ENABLED} and hooks start it again')


def _receive(world: World, body: RequestBody) -> bytes:
    """Return the whole body. Raises TooLarge before it is read if it is too large, WrongMedia, Invalid."""
    largest = world.service.settings.hook_size
    body.arrive(largest, world.idle)
    return b"".join(body.chunks(largest))


def _run(world: World, head: RequestHead, job: Item, hook: JobHook, content: bytes) -> _Done:
    """Start the run of a call if its signature is valid. Raises VfsError."""
    place = f"{FOLDER}/{hook.name}"
    texts = {leaf.rel[len(place) + 1 :]: leaf.text or "" for leaf in world.leaves.texts(job.id, place)}
    header = partial(header_of, head.environ)
    if (scheme := texts.get("signature", UNSIGNED)) != UNSIGNED:
        secret = world.service.seal.open(texts["secret"], f"{job.id}/{place}/secret")
        try:
            check_signature(scheme, secret, header, content, world.clock.now().timestamp())
        except BadSignature as wrong:
            raise Denied(UNSURE) from wrong
    names = texts.get("headers", "").split()
    kept = {name: header(name) for name in names if header(name)} if names else None
    call = CallInput(header("Content-Type"), content, kept)
    if (challenge := call.challenge()) is not None:
        return _Done(Answer(HTTPStatus.OK, [("Content-Type", PLAIN)], challenge.encode()), why="a challenge")
    return _order(world, head, job, hook, call)


def _order(world: World, head: RequestHead, job: Item, hook: JobHook, call: CallInput) -> _Done:
    # The hook may have been removed, or the job paused, while the body arrived.
    _require(world, hook.digest)
    _require_enabled(world, job)
    require_room(world, job)
    ask = RunRequest.of_event(SOURCE, hook.name, job.owner)
    try:
        run, refused = order(world, job, ask, bring_call(world, job, hook.name, call))
    except Overlapping as skipped:
        return _Done(_json_answer(HTTPStatus.OK, status="skipped"), why=f"skipped: {skipped.detail}")
    if refused is not None:
        with world.atomic():
            notify_rejected(world, run)
        raise Conflict(f"the run was rejected: {refused}", run=run.id)
    return _Done(_json_answer(HTTPStatus.ACCEPTED, status="accepted", run=run.id), run.id)


def _json_answer(code: HTTPStatus, **said: str) -> Answer:
    return Answer(code, [("Content-Type", JSON)], orjson.dumps(said, None, orjson.OPT_APPEND_NEWLINE))


def _for_strangers(refused: VfsError) -> VfsError:
    """Return an error without details that only people with access to the job may know."""
    if isinstance(refused, OWN_WORDS):
        return refused
    kind, words = next((kind, words) for found, kind, words in WORDS if isinstance(refused, found))
    seconds = refused.members.get("retry_after", MINUTE if kind is TooMany else None)
    return kind(words) if seconds is None else kind(words, retry_after=seconds)


def _note(world: World, hook: JobHook, call: JobHookCall, *, once: bool = False) -> None:
    """Record a call. A run that was started continues if that fails."""
    try:
        world.code.hooks.note(hook.digest, call, once=once)
    except VfsError as error:
        log.warning("a call of a hook was not recorded: %s", error.detail)
