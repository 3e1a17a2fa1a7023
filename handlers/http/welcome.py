"""The welcome text at the root, for curl: what this is, and the first five commands."""

from __future__ import annotations

from http import HTTPStatus

from handlers.http.request_head import RequestHead
from handlers.http.response import PLAIN, Answer

_TEXT = """\
Curlew: everything is a file over HTTP.

A resource is a folder of small files. GET reads, POST writes a file, PUT makes an
entry, PATCH renames, DELETE clears or removes, OPTIONS tells what you may do.

Create an account:
  curl {origin}/v1/register -H 'Content-Type: application/json' \\
    -d '{{"username": "ada", "password": "a long one", "email": "ada@example.org"}}'

Create a token, and store it in T:
  curl -u ada {origin}/v1/token -H 'Content-Type: application/json' -d '{{"token_name": "laptop"}}'

Show who you are:
  curl -H "Authorization: Bearer $T" {origin}/v1/whoami

Create a job and list its folder:
  curl -H "Authorization: Bearer $T" -X PUT {origin}/v1/code/jobs/hello
  curl -H "Authorization: Bearer $T" {origin}/v1/code/jobs/hello

Text is sent as text/plain (curl: -H 'Content-Type: text/plain' --data-binary @file),
and lists come as JSON. Ask for JSON elsewhere with  Accept: application/json.

Read more: {origin}/docs  {origin}/docs/api  {origin}/openapi.json
Health: {origin}/healthz  {origin}/readyz
"""


def welcome(origin: str) -> str:
    """Return the welcome text of a service at this address."""
    return _TEXT.format(origin=origin)


def welcome_answer(head: RequestHead) -> Answer:
    """Return the response of the root to curl."""
    answer = Answer(HTTPStatus.OK, body=welcome(head.origin or "").encode())
    answer.add("Content-Type", PLAIN)
    return answer
