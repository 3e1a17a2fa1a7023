"""Compare the responses of two servers to GET for all paths that a token can list; print each difference.

The servers' own addresses in responses, and the tokens, which each request changes, are ignored.

Usage: TOKEN=… python3 compare.py http://127.0.0.1:8000 http://127.0.0.1:8001 [PATH]
"""

import hashlib
import json
import os
import sys
import urllib.error
import urllib.request


def get(server: str, path: str) -> tuple[int, str, bytes]:
    """Return the status, the media type and the body of a path."""
    heads = {"Accept": "application/json", "Authorization": f"Bearer {os.environ['TOKEN']}"}
    try:
        with urllib.request.urlopen(urllib.request.Request(server + path, headers=heads)) as answer:
            body = answer.read().replace(server.encode(), b"")
            return answer.status, answer.headers.get_content_type(), body
    except urllib.error.HTTPError as error:
        return error.code, "", b""


def entries_of(media: str, body: bytes) -> list[dict[str, object]]:
    """Return the entries of a listing, or an empty list for any other response."""
    try:
        found = json.loads(body) if media == "application/json" else None
    except ValueError:
        return []
    listed = isinstance(found, list) and all(isinstance(one, dict) and "uri" in one for one in found)
    return found if listed else []


def main(live: str, restored: str, start: str = "/v1/") -> int:
    """Print the paths with different responses. Return 1 if there are any."""
    live, restored = live.rstrip("/"), restored.rstrip("/")
    waiting, seen, different = [start], {start}, 0
    while waiting:
        path = waiting.pop()
        one, other = get(live, path), get(restored, path)
        entries = entries_of(*one[1:])
        if entries:
            others = {str(entry["uri"]) for entry in entries_of(*other[1:])}
            same = one[0] == other[0] and {str(entry["uri"]) for entry in entries} == others
        else:
            same = one[0] == other[0] and one[2] == other[2]
        if not same:
            different += 1
            digests = [hashlib.sha256(body).hexdigest()[:12] for _, _, body in (one, other)]
            print(path, one[0], other[0], *digests)
        named = (str(entry["uri"]) for entry in entries if entry["type"] != "link")
        found = [uri for uri in named if not uri.startswith("/v1/admin/tokens")]
        waiting += [uri for uri in found if uri not in seen]
        seen.update(found)
    print(f"{len(seen)} addresses compared, {different} differ")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
