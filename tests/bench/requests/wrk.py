"""wrk as the client: requests from outside, each to another file or over and over to one."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

MISSING = "there is no wrk: apt-get install wrk"
NUMBER = "{n}"
"""What stands for the number of a request in five digits, wherever it is to be another one each time."""
SCRIPT = """
local method, path, body, different = {method}, {path}, {body}, {different}
local headers = {{ {headers} }}
local numbered = function(text, number) return text and (text:gsub("{{n}}", number)) end
local requests, next = {{}}, 0
init = function(arguments)
  for each = 0, different - 1 do
    local number = string.format("%05d", each)
    local own = {{ Host = wrk.headers["Host"] }}
    for name, word in pairs(headers) do own[name] = numbered(word, number) end
    requests[each] = wrk.format(method, numbered(path, number), own, numbered(body, number))
  end
end
request = function()
  next = (next + 1) % different
  return requests[next]
end
done = function(summary, latency, requests)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.stderr:write(string.format('{{"answers": %d, "microseconds": %d, "refusals": %d, "failed": %d, ' ..
    '"p50": %d, "p99": %d}}', summary.requests, summary.duration, summary.errors.status, failed,
    latency:percentile(50), latency:percentile(99)))
end
"""


@dataclass(frozen=True, slots=True)
class BenchRequest:
    """A request as wrk sends it, or `different` ones in turn."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""
    different: int = 1

    def script(self) -> str:
        """The same in Lua."""
        return SCRIPT.format(
            method=json.dumps(self.method),
            path=json.dumps(self.path),
            headers=", ".join(f"[{json.dumps(name)}] = {json.dumps(word)}" for name, word in self.headers),
            body=json.dumps(self.body) if self.body else "nil",
            different=self.different,
        )


@dataclass(frozen=True, slots=True)
class Load:
    """What wrk saw: answers, their time in microseconds, and times within which 50 and 99 in 100 came."""

    answers: int
    microseconds: int
    p50: int
    p99: int

    @property
    def rate(self) -> float:
        """Answers in a second."""
        return self.answers / self.microseconds * 1e6


def is_there() -> bool:
    """Whether the program is installed."""
    return shutil.which("wrk") is not None


def drive(
    port: int, request: BenchRequest, connections: int, seconds: int = 2, *, refused: bool = False
) -> Load:
    """Send it repeatedly. Raises SystemExit when not all answers are good ones, or not all `refused`."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(request.script())
        script.flush()
        done = subprocess.run(
            [
                *("wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s"),
                *("-s", str(Path(script.name)), f"http://127.0.0.1:{port}"),
            ],
            capture_output=True,
            text=True,
            check=True,
        )
    report = json.loads(done.stderr)
    if report["failed"] or report["refusals"] != (report["answers"] if refused else 0):
        raise SystemExit(f"{request.method} {request.path} was not always answered as it should be: {report}")
    return Load(report["answers"], report["microseconds"], report["p50"], report["p99"])
