"""Clients that read and write again and again, until standard input ends; then what became of their requests.

Run by any Python, inside the machine that is tried: `load.py HOST:PORT PATH TOKEN CLIENTS ENOUGH`. Every
second client keeps its connection, the others open one for each request. A line says when they asked ENOUGH.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import Counter
from http.client import HTTPConnection, HTTPException

REST = 0.02
BODY = "day,count\nmonday,3\n"


class Client:
    """One client with what it met."""

    def __init__(self, address: str, path: str, token: str, keeps: bool) -> None:
        self._address, self._path, self._keeps = address, path, keeps
        self._head = {"Authorization": f"Bearer {token}", "Content-Type": "text/plain"}
        self._connection = HTTPConnection(address, timeout=120)
        self.met: Counter[str] = Counter()
        self.slowest = self.gap = 0.0
        self.requests = 0

    def ask_until(self, over: threading.Event) -> None:
        turn, answered = 0, time.monotonic()
        while not over.is_set():
            turn += 1
            began = time.monotonic()
            word = self._ask("POST" if turn % 4 == 0 else "GET")
            self.met[word] += 1
            self.requests += 1
            now = time.monotonic()
            self.slowest = max(self.slowest, now - began)
            if word == "answered":
                answered = now
            else:
                self.gap = max(self.gap, now - answered)
            time.sleep(REST)

    def _ask(self, method: str) -> str:
        try:
            self._connection.request(method, self._path, BODY if method == "POST" else None, self._head)
            answer = self._connection.getresponse()
            answer.read()
            if not self._keeps or answer.getheader("Connection") == "close":
                self._connection.close()
            return "answered" if answer.status < 300 else str(answer.status)
        except (OSError, HTTPException) as error:
            self._connection.close()
            return type(error).__name__


def tell_enough(asking: list[Client], enough: int) -> None:
    while sum(client.requests for client in asking) < enough:
        time.sleep(REST)
    sys.stdout.write("enough\n")
    sys.stdout.flush()


def main(address: str, path: str, token: str, clients: str, enough: str) -> None:
    over = threading.Event()
    asking = [Client(address, path, token, number % 2 == 0) for number in range(int(clients))]
    threads = [threading.Thread(target=client.ask_until, args=(over,)) for client in asking]
    for thread in threads:
        thread.start()
    threading.Thread(target=tell_enough, args=(asking, int(enough)), daemon=True).start()
    sys.stdin.read()
    over.set()
    for thread in threads:
        thread.join()
    met = sum((client.met for client in asking), Counter[str]())
    slowest = round(max(client.slowest for client in asking), 2)
    gap = round(max(client.gap for client in asking), 2)
    sys.stdout.write(json.dumps({"met": met, "slowest": slowest, "gap": gap}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
