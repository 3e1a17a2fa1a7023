"""Corpora of hostile input: request heads, paths, JSON documents, file names and multipart bodies."""

from __future__ import annotations

CRLF = b"\r\n"


def head(method: str, target: str, *headers: str, body: bytes = b"") -> bytes:
    """A request as it goes over the wire."""
    lines = [f"{method} {target} HTTP/1.1", "Host: curlew", *headers]
    return "\r\n".join(lines).encode("latin-1") + CRLF * 2 + body


# What is wrong, the bytes of the request, and the status to expect.
REQUESTS: dict[str, tuple[bytes, int]] = {
    "length and chunks": (
        head("POST", "/v1/text", "Content-Length: 5", "Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
        400,
    ),
    "two lengths": (head("POST", "/v1/text", "Content-Length: 5", "Content-Length: 6", body=b"hello"), 400),
    "two equal lengths": (
        head("POST", "/v1/text", "Content-Length: 5", "Content-Length: 5", body=b"hello"),
        400,
    ),
    "negative length": (head("POST", "/v1/text", "Content-Length: -1"), 400),
    "signed length": (head("POST", "/v1/text", "Content-Length: +5", body=b"hello"), 400),
    "length in words": (head("POST", "/v1/text", "Content-Length: five", body=b"hello"), 400),
    "length list": (head("POST", "/v1/text", "Content-Length: 5, 5", body=b"hello"), 400),
    "chunked twice": (
        head("POST", "/v1/text", "Transfer-Encoding: chunked, chunked", body=b"0\r\n\r\n"),
        400,
    ),
    "identity then chunked, hidden": (
        head("POST", "/v1/text", "Transfer-Encoding: xchunked", body=b"0\r\n\r\n"),
        501,
    ),
    "gzip alone": (head("POST", "/v1/text", "Transfer-Encoding: gzip", body=b"x"), 400),
    "bad chunk size": (
        head("POST", "/v1/text", "Content-Type: text/plain", "Transfer-Encoding: chunked", body=b"zz\r\n"),
        400,
    ),
    "negative chunk size": (
        head("POST", "/v1/text", "Content-Type: text/plain", "Transfer-Encoding: chunked", body=b"-5\r\n"),
        400,
    ),
    "chunk without its end": (
        head(
            "POST",
            "/v1/text",
            "Content-Type: text/plain",
            "Transfer-Encoding: chunked",
            body=b"5\r\nhelloXX0\r\n\r\n",
        ),
        400,
    ),
    "space before the colon": (head("GET", "/v1/text", "Accept : */*"), 400),
    "folded header": (head("GET", "/v1/text", "Accept: */*", " folded"), 400),
    "nameless header": (head("GET", "/v1/text", ": value"), 400),
    "NUL in a header": (head("GET", "/v1/text", "X-Odd: a\0b"), 400),
    "two hosts": (head("GET", "/v1/text", "Host: other"), 400),
    "odd host": (b"GET /v1/text HTTP/1.1\r\nHost: a b<c>\r\n\r\n", 400),
    "bare LF": (b"GET /v1/text HTTP/1.1\nHost: curlew\n\n", 400),
    "no version": (b"GET /v1/text\r\nHost: curlew\r\n\r\n", 400),
    "unknown version": (b"GET /v1/text HTTP/9.9\r\nHost: curlew\r\n\r\n", 400),
    "lowercase method": (b"get /v1/text HTTP/1.1\r\nHost: curlew\r\n\r\n", 400),
    "unknown expectation": (head("POST", "/v1/text", "Expect: a-pony", "Content-Length: 0"), 417),
    "long line": (head("GET", "/v1/" + "a" * 9000), 414),
    "long header": (head("GET", "/v1/text", "X-Long: " + "a" * 20_000), 431),
    "many headers": (head("GET", "/v1/text", *(f"X-{n}: 1" for n in range(200))), 431),
    "raw UTF-8 in the path": (b"GET /v1/\xc3\xb8 HTTP/1.1\r\nHost: curlew\r\n\r\n", 400),
    "space in the path": (b"GET /v1/a b HTTP/1.1\r\nHost: curlew\r\n\r\n", 400),
    "relative path": (b"GET v1/text HTTP/1.1\r\nHost: curlew\r\n\r\n", 400),
    "authority form": (b"GET curlew:80 HTTP/1.1\r\nHost: curlew\r\n\r\n", 400),
    "tunnel": (b"CONNECT curlew:80 HTTP/1.1\r\nHost: curlew\r\n\r\n", 405),
    "trace": (head("TRACE", "/v1/text"), 405),
    "method unheard of": (head("BREW", "/v1/text"), 501),
    "method of Falcon's own": (head("WEBSOCKET", "/v1/text"), 501),
    "asterisk": (head("GET", "*"), 400),
    "no host": (b"GET /v1/text HTTP/1.1\r\n\r\n", 400),
    "empty host": (b"GET /v1/text HTTP/1.1\r\nHost:\r\n\r\n", 400),
    "host of colons": (b"GET /healthz HTTP/1.1\r\nHost: [:::]\r\n\r\n", 400),
    "host of dots": (b"GET /healthz HTTP/1.1\r\nHost: [..]\r\n\r\n", 400),
    "host with a user": (b"GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", 400),
    "port beyond all": (b"GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n", 400),
    "absolute with a bad host": (head("GET", "http://[:::]/v1/text"), 400),
    "absolute with a user": (head("GET", "http://a@b/v1/text"), 400),
    "absolute of another scheme": (head("GET", "ftp://curlew/v1/text"), 400),
    "absolute without a host": (head("GET", "http:///v1/text"), 400),
    "fragment": (head("GET", "/v1/text#part"), 400),
    "read with a body": (head("GET", "/v1/text", "Content-Length: 5", body=b"hello"), 400),
    "read with chunks": (head("GET", "/v1/text", "Transfer-Encoding: chunked", body=b"0\r\n\r\n"), 400),
    "head with a body": (head("HEAD", "/v1/text", "Content-Length: 1", body=b"x"), 400),
    "removal with a body": (head("DELETE", "/v1/text", "Content-Length: 5", body=b"hello"), 400),
    "options with a body": (head("OPTIONS", "/v1/text", "Content-Length: 5", body=b"hello"), 400),
    "version between": (b"GET /v1/text HTTP/1.2\r\nHost: curlew\r\n\r\n", 400),
    "empty line first": (b"\r\nGET /v1/text HTTP/1.1\r\nHost: curlew\r\n\r\n", 400),
    "length of many digits": (head("POST", "/v1/text", f"Content-Length: {'0' * 19}5", body=b"hello"), 400),
    "authorization of two kinds": (head("GET", "/v1/text", "Authorization: Bearer a", "X-A: b"), 200),
}

PATHS: tuple[str, ...] = (
    *("/v1/a%2Fb", "/v1/a%2fb", "/v1/%00", "/v1/a%00", "/v1/..", "/v1/../etc/passwd", "/v1/%2e%2e/x"),
    *("/v1/.", "/v1/%2E", "/v1/a%5Cb", "/v1/%ff", "/v1/%c3%28", "/v1/%ed%a0%80", "/v1/%", "/v1/%g1"),
    *("/v1/%1", "/v1/a%0Ab", "/v1/a%7f", "/v1/%C0%AF", "/v1/%u0041"),
)

# Bytes that are not a JSON document here.
DOCUMENTS: dict[str, bytes] = {
    "nothing": b"",
    "space": b"  \n ",
    "not a number": b"NaN",
    "infinity": b'{"n": Infinity}',
    "negative infinity": b"-Infinity",
    "too large a number": b"1e400",
    "lone high surrogate": rb'"\ud800"',
    "lone low surrogate": rb'{"\udc00": 1}',
    "deep arrays": b"[" * 65 + b"]" * 65,
    "deep objects": b'{"a":' * 65 + b"1" + b"}" * 65,
    "a million brackets": b"[" * 1_000_000,
    "not UTF-8": b'"\xff"',
    "encoded surrogate": b'"\xed\xa0\x80"',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "byte order mark": b"\xef\xbb\xbf{}",
    "NUL": b'"\0"',
    "control character": b'"\n"',
    "trailing comma": b"[1,]",
    "two documents": b"{} {}",
    "single quotes": b"{'a': 1}",
    "comment": b"{} // x",
    "cut off": b'{"a": [1, 2',
    "bare word": b"yes",
}

# File names that a multipart body may not carry.
NAMES: tuple[bytes, ...] = (
    *(b"..", b".", b"../x", b"a/../b", b"a/./b", b"/etc/passwd", b"//x", b"a//b", b"a/", b"/"),
    *(b"a\\b", b"C:\\x", b"\\\\host\\share", b"a\0b", b"a\nb", b"a\tb", b"a\x7fb", b"\xff", b"\xed\xa0\x80"),
    *(b"", b"n" * 256, b"\xc3\xb8" * 128, b"/".join([b"d" * 200] * 11)),
)

BOUNDARY = b"frontier"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY.decode()}"


def part(disposition: bytes, content: bytes = b"x", *headers: bytes) -> bytes:
    """One part of a multipart body."""
    lines = [b"--" + BOUNDARY, b"Content-Disposition: " + disposition, *headers, b"", content]
    return CRLF.join(lines) + CRLF


def form(*parts: bytes) -> bytes:
    """A complete multipart body."""
    return b"".join(parts) + b"--" + BOUNDARY + b"--" + CRLF


def file(name: bytes, content: bytes = b"x") -> bytes:
    """A part that is a file of this name."""
    return part(b'form-data; name="file"; filename="' + name + b'"', content)


# Multipart bodies that are refused, whatever their names.
FORMS: dict[str, bytes] = {
    "a form field": form(part(b'form-data; name="a"')),
    "no disposition": b"--frontier\r\nContent-Type: text/plain\r\n\r\nx\r\n--frontier--\r\n",
    "unended quote": form(part(b'form-data; name="f"; filename="a')),
    "text after a quote": form(part(b'form-data; name="f"; filename="a"b"')),
    "two names": form(part(b'form-data; filename="a"; filename="b"')),
    "two dispositions": form(
        part(b'form-data; filename="a"', b"x", b'Content-Disposition: form-data; filename="b"')
    ),
    "name in Latin-1": form(part(b"form-data; filename*=ISO-8859-1''%f8")),
    "encoded name that climbs": form(part(b"form-data; filename*=UTF-8''..%2Fx")),
    "encoded name with a bad byte": form(part(b"form-data; filename*=UTF-8''%ff")),
    "base64": form(part(b'form-data; filename="a"', b"eA==", b"Content-Transfer-Encoding: base64")),
    "cut in the content": b"--frontier\r\nContent-Disposition: form-data; filename=a\r\n\r\nhalf",
    "cut in the headers": b"--frontier\r\nContent-Dispo",
    "another boundary": b"--other\r\n\r\nx\r\n--other--\r\n",
    "nothing at all": b"",
    "a long header": form(part(b'form-data; filename="a"', b"x", b"X-Long: " + b"a" * 10_000)),
    "many headers": form(part(b'form-data; filename="a"', b"x", *(b"X-%d: 1" % n for n in range(50)))),
    "a header without a colon": b"--frontier\r\nno colon here\r\n\r\nx\r\n--frontier--\r\n",
    "the same name twice": form(file(b"a"), file(b"a")),
    "a file, then a folder": form(file(b"a"), file(b"a/b")),
    "a folder, then a file": form(file(b"a/b"), file(b"a")),
    "a file deep in a file": form(file(b"a/b"), file(b"a/b/c/d")),
}
