"""A bot for The Numbers in Python's standard library alone. It plays one match and says how that ended.

    python docs/example_bot.py http://127.0.0.1:8000 [TOKEN]

Without a token it becomes a guest. It takes the first open seek, or opens one, and draws each guess from the numbers
that fit all it has been told. The calls are described at /api/v1/docs, the socket in docs/protocol.md.
"""

import json
import random
import sys
import time
from http.client import HTTPConnection, HTTPSConnection
from itertools import permutations, product
from urllib.parse import urlsplit

KEY = {"Sec-WebSocket-Key": "b25seSBhbiBleGFtcGxlIQ==", "Sec-WebSocket-Version": "13"}
UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket"} | KEY


class Site:
    def __init__(self, url, token=None):
        self.url, self.headers = urlsplit(url), {"Content-Type": "application/json"}
        self.headers["Authorization"] = f"Bearer {token or self.call('POST', '/guest')['token']}"

    def ask(self, method, path, body=None, more=None):
        line = (HTTPSConnection if self.url.scheme == "https" else HTTPConnection)(self.url.netloc)
        line.request(method, path, body, self.headers | (more or {}))
        return line, line.getresponse()

    def call(self, method, path, **body):
        """The answer. A 409 does no harm: we were late, or asked twice, and the next look will tell."""
        answer = self.ask(method, f"/api/v1{path}", json.dumps(body) if method == "POST" else None)[1]
        assert answer.status < 300 or answer.status == 409, answer.read()
        return json.load(answer)

    def news(self, path):
        """Yields with each frame of a match's socket. While that is open we are there, and forfeit nothing."""
        while True:
            line, answer = self.ask("GET", f"/ws/v1{path}/", None, UPGRADE)
            while len(head := answer.fp.read(2)) == 2 and head[0] & 15 != 8:  # 8 says goodbye
                size = head[1] & 127
                payload = answer.fp.read(int.from_bytes(answer.fp.read(2), "big") if size == 126 else size)
                if head[0] & 15 == 9:  # a ping; its pong is masked with zeros
                    line.sock.sendall(bytes([0x8A, 0x80 | size, 0, 0, 0, 0]) + payload)
                yield
            time.sleep(1)


def find_match(site):
    """A match of ours that runs, by somebody's seek or by ours. Whoever enters one leaves the lobby."""
    if not (live := site.call("GET", "/matches?mine=live")):
        site.call("POST", "/seeks")  # once: it is open for ten minutes
    while not live:
        for seek in site.call("GET", "/seeks")[:1]:  # the oldest; refused if it is our own
            site.call("POST", f"/seeks/{seek['id']}/accept")
        time.sleep(1)
        live = site.call("GET", "/matches?mine=live")
    return f"/matches/{live[0]['id']}"


def fits(secret, row):
    """Whether a guess would have earned what it did if this were the number."""
    left, asked = zip(*(("", "") if s == g else (s, g) for s, g in zip(secret, row["code"])))
    marks = "".join("AP"[asked[:n].count(g) < left.count(g)] if g else "E" for n, g in enumerate(asked))
    told = row["exact"], row["present"], row["marks"] or marks
    return told == (marks.count("E"), marks.count("P"), marks)


def move(site, path, match):
    """Do what the match waits for from us, if for anything."""
    own, digits, n = match["seats"][match["you"]], "0123456789", match["terms"]["length"]
    if match["status"] == "confirming":
        site.call("POST", f"{path}/confirm")
    elif not own["ready"] or match["turn"] == match["you"]:
        every = product(digits, repeat=n) if match["terms"]["repeats"] else permutations(digits, n)
        left = [code for code in map("".join, every) if all(fits(code, row) for row in own["guesses"])]
        site.call("POST", f"{path}/{'guesses' if own['ready'] else 'secret'}", code=random.choice(left))


if __name__ == "__main__":
    site = Site(*sys.argv[1:])
    news = site.news(path := find_match(site))
    while not (result := (match := site.call("GET", path))["result"]):
        move(site, path, match)
        next(news)
    print("won" if result["winner"] == match["you"] else "not won", result["reason"], match["id"])
