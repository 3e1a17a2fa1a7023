"""The addresses of hooks, `/h/<key>`: a POST by anybody who has one starts a run of its job.

Nothing in an answer tells more than that the address is known. Cookies are neither read nor set.
"""

from __future__ import annotations

import logging
from functools import partial
from http import HTTPStatus
from typing import NamedTuple

import orjson

from chains.runs.hooks import JobHook, JobHookCall
from handlers.hooks.call_input import CallInput, bring_call, header_of
from handlers.http.bodies.body import RequestBody
from handlers.http.problems import problem_type_of, refusal
from handlers.http.request_head import RequestHead
from handlers.http.response import JSON, PLAIN, Answer
from handlers.identity.credentials import digest
from handlers.rules.addresses import HOOK
from handlers.rules.hook_files import FOLDER, UNSIGNED, BadSignature, check_signature
from handlers.services.run_notices import notify_rejected
from handlers.services.runs.run_ends import ENABLED, is_paused
from handlers.services.runs.run_trigger import Overlapping, RunRequest, order, require_room
from handlers.services.world import World
from handlers.words.terminal_signs import safe_words
from vfs.access import Verb
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

log = logging.getLogger("curlew")

SOURCE = "hook"
MINUTE = 60
LONGEST_REASON = 300
ABOUT = b"This is the address of a hook: a POST to it starts something.\n"
UNKNOWN = "there is no such hook: ask for its present address"
UNSURE = "the signature is missing, wrong or old: the log of the hook says which"
OWN_WORDS = (Invalid, TooLarge, WrongMedia, NotFound, Denied)
"""Refusals that tell nothing but what the caller knows. In place of others it gets these words."""
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
        """Return the response. GET is answered alike for every address, as services try it first."""
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
            # No other cause: that of a disk or a database tells of the host.
            wrong = refused.__cause__ if isinstance(refused.__cause__, BadSignature) else refused.detail
            # It may quote what was sent, with signs that a terminal obeys and PostgreSQL refuses.
            why = safe_words(str(wrong))[:LONGEST_REASON]
            run = refused.members.get("run") if isinstance(refused, Conflict) else None
            call = JobHookCall(stamp(world.clock.now()), problem_type_of(refused).status, size, run, why)
            _note(world, hook, call, once=isinstance(refused, TooMany))
            raise _for_strangers(refused) from None
        call = JobHookCall(stamp(world.clock.now()), done.answer.status, size, done.run, done.why)
        _note(world, hook, call)
        return done.answer


def _require(world: World, key: str) -> tuple[Item, JobHook]:
    """Return the job and the hook of a key. Raises NotFound, alike for whatever is not the key of one."""
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
    """Start the run of a call that is signed as the hook demands. Raises VfsError."""
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
    """Return a refusal without what only people of the job may know."""
    if isinstance(refused, OWN_WORDS):
        return refused
    kind, words = next((kind, words) for found, kind, words in WORDS if isinstance(refused, found))
    seconds = refused.members.get("retry_after", MINUTE if kind is TooMany else None)
    return kind(words) if seconds is None else kind(words, retry_after=seconds)


def _note(world: World, hook: JobHook, call: JobHookCall, *, once: bool = False) -> None:
    """Record a call. A run that was started goes on if that fails."""
    try:
        world.code.hooks.note(hook.digest, call, once=once)
    except VfsError as error:
        log.warning("a call of a hook was not recorded: %s", error.detail)
