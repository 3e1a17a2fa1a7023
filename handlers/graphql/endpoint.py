"""The endpoint of the GraphQL view, which answers JSON queries with the permissions of the caller."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

import orjson
from graphql import DocumentNode
from graphql.error import GraphQLError

from handlers.graphql.asking import Ask, Loaders
from handlers.graphql.bounds import LARGEST_BODY, read_document
from handlers.graphql.groups import group_rows
from handlers.graphql.items import item_rows
from handlers.graphql.people import people_rows
from handlers.graphql.schema import carry_out, mistakes, schema_weight, shipped_schema
from handlers.graphql.selection import Row, Selection
from handlers.graphql.sight import Shown, Sight, readable
from handlers.http.bodies.body import RequestBody
from handlers.http.problems import BROKEN, problem_type_of
from handlers.http.problems import refusal as problem
from handlers.http.request_head import RequestHead, caller_of, hints_about
from handlers.http.response import JSON, Answer
from handlers.identity.identify import DeadCredential, Identifies
from handlers.services.build_images import built_state
from handlers.services.world import World
from handlers.words.terminal_signs import safe_json
from vfs.access import PUBLIC, Caller, Verb
from vfs.call import Call
from vfs.errors import Invalid, Unauthenticated, Unsupported, VfsError
from vfs.path import Path
from vfs.ports.items import Found
from vfs.tree import Tree

log = logging.getLogger("curlew")

ErrorFacts = dict[str, Any]


def answer_with(facts: Mapping[str, Any], status: HTTPStatus = HTTPStatus.OK) -> Answer:
    """Return a response with this JSON."""
    made = Answer(status, body=safe_json(orjson.dumps(facts)))
    made.add("Content-Type", JSON)
    return made


def refusal(error: VfsError, head: RequestHead, status: HTTPStatus | None = None) -> Answer:
    """Return the response to a request that is refused as a whole."""
    made = answer_with({"errors": [error_of(error, head)]}, status or problem_type_of(error).status)
    if (seconds := error.members.get("retry_after")) is not None:
        made.add("Retry-After", str(seconds))
    return made


def internal_error(head: RequestHead) -> Answer:
    """Return the response to an internal error."""
    log.exception("request %s failed: %s %s", head.id, head.method, head.instance)
    return answer_with({"errors": [_own_error(head)]}, BROKEN.status)


def errors_in(errors: Sequence[GraphQLError], head: RequestHead) -> list[ErrorFacts]:
    """Return the errors of a query, each with its position."""
    return [_error_at(one, head) for one in errors]


def error_of(error: VfsError, head: RequestHead) -> ErrorFacts:
    """Return a refusal in the form of a GraphQL error."""
    kind = problem_type_of(error)
    return _shape(error.detail, head, kind.slug, kind.status)


def _error_at(error: GraphQLError, head: RequestHead) -> ErrorFacts:
    cause = error.original_error
    if cause is None or isinstance(cause, GraphQLError):
        facts = error_of(Invalid(error.message), head)
    elif isinstance(cause, VfsError):
        facts = error_of(cause, head)
    else:
        log.error("request %s failed: %s %s", head.id, head.method, head.instance, exc_info=cause)
        facts = _own_error(head)
    if error.locations:
        facts["locations"] = [{"line": one.line, "column": one.column} for one in error.locations]
    if error.path:
        facts["path"] = error.path
    return facts


def _own_error(head: RequestHead) -> ErrorFacts:
    said = f"the server failed on this request; its log has the error under {head.id}"
    return _shape(said, head, BROKEN.slug, BROKEN.status)


def _shape(message: str, head: RequestHead, slug: str, status: HTTPStatus) -> ErrorFacts:
    about = {"type": f"{head.origin or ''}/docs/errors#{slug}", "status": status.value}
    return {"message": message, "extensions": about}


def image_rows(ask: Ask, repos: Sequence[Found], wanted: Selection) -> list[Row]:
    """Return a row for each of these repos that has a build, with the facts that the caller may read."""
    ask.admit(len(repos))
    kind = ask.world.service.kinds["repo"]
    shown = [Shown(one, ask.sight.item(one, kind)) for one in repos]
    facts = readable(ask.sight, shown, "status")
    latest = ask.world.code.builds.latest_of(list(facts))
    images = ask.world.code.builds.images_of(list(facts))
    built = [one for one in repos if one.item.id in latest or one.item.id in images]
    rows = ask.load.items(ask, kind, built, wanted)
    labelled = readable(ask.sight, shown, "labels")
    for one, row in zip(built, rows, strict=True):
        id = one.item.id
        row["repo"] = f"{one.item.owner}/{one.item.name}"
        row["status"] = built_state(latest.get(id), images.get(id, {}))
        row["labels"] = sorted(images.get(id, {})) if id in labelled else []
    return rows


GQL = Path(("gql",))
FIELDS = ("query", "variables", "operationName", "extensions")
LOADERS = Loaders(item_rows, image_rows, people_rows, group_rows)


class SentQuery(NamedTuple):
    """A query as sent: a document, the values of its variables, and the name of the operation."""

    query: str
    variables: Mapping[str, Any] | None
    operation: str | None


class GraphQLEndpoint:
    """Answers queries about the world, limited to what the tree shows to the caller."""

    def __init__(self, tree: Tree, world: World, identify: Identifies) -> None:
        self._tree = tree
        self._world = world
        self._identify = identify
        self._routes = {route.template: route for route in tree.routes()}
        self._schema = shipped_schema()

    def __call__(self, head: RequestHead, path: Path) -> Answer | None:
        """Return the response to a query, or None for any other path."""
        if path != GQL:
            return None
        if head.method == "OPTIONS":
            return Answer(HTTPStatus.NO_CONTENT, [("Allow", "POST, OPTIONS")])
        if head.method != "POST":
            refused = Unsupported(f"{GQL} accepts queries by POST only", allow=(Verb.WRITE,))
            return problem(refused, head)
        try:
            with self._world.session():
                caller = self._caller(head)
                head.user = caller.name
                return self._answer(head, caller, read_query(head))
        except VfsError as refused:
            return refusal(refused, head)
        except Exception:
            return internal_error(head)

    def _caller(self, head: RequestHead) -> Caller:
        """Return the caller. A caller with an invalid token counts as the public, for which `me` is null."""
        try:
            return caller_of(self._identify, head, Verb.WRITE, GQL)
        except DeadCredential:
            return PUBLIC

    def _answer(self, head: RequestHead, caller: Caller, sent_query: SentQuery) -> Answer:
        """Return the response to a query. Its errors have status 200, as the clients expect."""
        try:
            document = read_document(sent_query.query)
            wrong = mistakes(self._schema, document)
        except GraphQLError as syntax:
            wrong = [syntax]
        except VfsError as refused:
            return answer_with({"errors": [error_of(refused, head)]})
        if wrong:
            return answer_with({"errors": errors_in(wrong, head)})
        return self._carry_out(head, caller, document, sent_query)

    def _carry_out(
        self, head: RequestHead, caller: Caller, document: DocumentNode, sent_query: SentQuery
    ) -> Answer:
        ask = self._ask(head, caller)
        try:
            if values := schema_weight(document):
                self._hold_schema(ask, values)
        except VfsError as refused:
            return answer_with({"errors": [error_of(refused, head)]})
        done = carry_out(self._schema, document, ask, sent_query.variables, sent_query.operation)
        facts: dict[str, Any] = {"errors": errors_in(done.errors, head)} if done.errors else {}
        return answer_with({**facts, "data": done.data})

    def _hold_schema(self, ask: Ask, values: int) -> None:
        """Admit a query of the schema itself. Raise Unauthenticated or TooLarge."""
        if ask.me is None:
            raise Unauthenticated(f"{self._tree.advice.sign_in}; the schema is in /docs/graphql, too")
        ask.spend_values(values)

    def _ask(self, head: RequestHead, caller: Caller) -> Ask:
        call = Call(Verb.READ, GQL, caller, self._world, id=head.id, hints=hints_about(head))
        return Ask(call, Sight(self._tree, self._routes, call), LOADERS)


def read_query(head: RequestHead) -> SentQuery:
    """Return the query that was sent. Raise Invalid, TooLarge or WrongMedia."""
    sent = RequestBody(head.environ).data(LARGEST_BODY)
    if not isinstance(sent, dict) or not isinstance(sent.get("query"), str):
        raise Invalid('send JSON with a query, such as {"query": "{ me { username } }"}')
    if unknown := sorted(sent.keys() - set(FIELDS)):
        raise Invalid(f'"{unknown[0][:80]}" is no part of a query: send {", ".join(FIELDS[:3])}')
    variables, operation = sent.get("variables"), sent.get("operationName")
    if variables is not None and not isinstance(variables, dict):
        raise Invalid("variables are a JSON object of values by name")
    if operation is not None and not isinstance(operation, str):
        raise Invalid("operationName is the name of one of the operations of the query")
    return SentQuery(sent["query"], variables, operation)
