"""Requests of HTTP/1.1 whose responses a script reads."""

import json
import re
from typing import NamedTuple

from attacks.traffic import ANSWER, Attack

PASSWORD = "wrong horse 7"
_HEAD = re.compile(rb"HTTP/1\.1 (\d{3})(.*?)\r\n\r\n", re.DOTALL)
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)


class Response(NamedTuple):
    """A response, whole."""

    status: int
    head: bytes
    body: bytes

    @classmethod
    def parse(cls, text):
        """Returns the response, or None while a part of it is missing."""
        if not (found := _HEAD.match(text)):
            return None
        head, body = found[2], text[found.end():]
        if _CHUNKED.search(head):
            is_whole = body.endswith(b"0\r\n\r\n")
        else:
            is_whole = len(body) >= int(length[1] if (length := _LENGTH.search(head)) else 0)
        return cls(int(found[1]), head, body) if is_whole else None

    @property
    def values(self):
        """The members of a good response in JSON; none of any other."""
        return json.loads(self.body) if self.status == 200 and self.body.startswith(b"{") else {}


class Exchange(Attack):
    """Whole calls over HTTP/1.1: a connection sends the next one after the response."""

    protocol = "http/1.1"

    def __init__(self, project, chooser):
        super().__init__(project, chooser)
        self.signed_up = {}

    def request(self, verb, path, content=None, **headers):
        """The bytes of a request; `content` is bytes, or a value that becomes JSON."""
        body = content if isinstance(content, bytes) else b"" if content is None else json.dumps(content).encode()
        fields = {"host": "localhost", "content-type": "application/json", "content-length": len(body)}
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{verb} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    def account_call(self, name, **content):
        path = f"/identitytoolkit.googleapis.com/v1/accounts:{name}?key={self.project}"
        return self.request("POST", path, content)

    def ask(self, kind, request):
        """Sends a request and gives its response, which is counted by kind and status."""
        yield request
        text = b""
        while not (response := Response.parse(text)):
            text += yield ANSWER
        self.responses[f"{kind} {response.status}"] += 1
        return response

    def sign_up(self, name):
        """Makes an account and gives its tokens; none where that was refused."""
        email = f"{name}@example.org"
        request = self.account_call("signUp", email=email, password=PASSWORD, returnSecureToken=True)
        return (yield from self.ask("sign-up", request)).values

    def one_of(self, users, number):
        """Gives the tokens of one of so many users, which the first connections sign up."""
        user = number % users
        if number <= users:
            self.signed_up[user] = yield from self.sign_up(f"user-{user}")
        while user not in self.signed_up:
            yield 0.1
        return self.signed_up[user]
