"""Workers of the other products: files, configuration, events and messages."""

import itertools
import random

import requests

from soak.ledger import Ledger
from soak.world import CALL_SECONDS, payload
from support import analytics, messaging
from support.firebase_storage import Storage
from support.remote_config import RemoteConfig

PAUSE_SECONDS = 0.2
FILE_BYTES = 3_000, 300_000
MOST_FILES = 60
EVENT = "soak_event"
EVENTS_PER_BATCH = 3


class FileWorker:
    """Files of one bucket, written, overwritten, read and deleted; each is what was acknowledged."""

    def __init__(self, world):
        self.world = world
        self.chooser = random.Random(f"{world.seed} files")
        self.ledger = Ledger()
        self.numbers = itertools.count(1)

    def run(self, stop):
        self.bucket = Storage(
            self.world.server, f"{self.world.project}.appspot.com", self.world.key, self.world.server.authority)
        if self.ledger.unsure:
            self.ledger.settle({name: self.revision(name) for name in self.ledger.unsure})
        while not stop.is_set():
            names = list(self.ledger.revisions)
            kind = self.chooser.choice(("create", "overwrite", "read", "remove"))
            if kind == "create" and len(names) < MOST_FILES or not names:
                self.put(f"soak/{next(self.numbers)}", 1)
            elif kind == "overwrite":
                name = self.chooser.choice(names)
                self.put(name, self.ledger.revisions[name] + 1)
            elif kind == "remove" and len(names) > MOST_FILES / 2:
                self.change("remove file", {self.chooser.choice(names): None}, self.bucket.delete)
            else:
                name = self.chooser.choice(names)
                self.ledger.check({name: self.revision(name)})
            stop.wait(PAUSE_SECONDS)

    def put(self, name, revision):
        size = self.chooser.randint(*FILE_BYTES)
        content = f"{revision} ".encode() + payload(name, revision, size)
        self.change("put file", {name: revision}, lambda name: self.bucket.upload(name, content))

    def change(self, kind, changes, call):
        self.ledger.attempt(changes)
        [name] = changes
        answer = self.world.attempt(kind, lambda: call(name))
        assert answer.ok, answer.text
        self.ledger.acknowledge()

    def revision(self, name):
        answer = self.world.attempt("read file", lambda: self.bucket.download(name))
        if answer.status_code == 404:
            return None
        assert answer.status_code == 200, answer.text
        revision, content = answer.content.split(b" ", 1)
        assert content == payload(name, int(revision), len(content)), f"{name} has other content"
        return int(revision)

    def check_all(self):
        self.ledger.check({name: self.revision(name) for name in self.ledger.revisions})


class ConfigWorker:
    """A template that is published again and again, and clients who fetch the one in force."""

    def __init__(self, world):
        self.world = world
        self.numbers = itertools.count(1)
        # Values that may be in force; none before the first.
        self.possible = [None]

    def run(self, stop):
        self.config = RemoteConfig(self.world.server, self.world.project, token=self.world.key)
        self.look()
        while not stop.is_set():
            value = str(next(self.numbers))
            self.possible = [*self.possible, value]
            template = {"parameters": {"soak": {"defaultValue": {"value": value}}}}
            self.world.attempt("publish config", lambda: self.config.publish(template))
            self.possible = [value]
            self.look()
            stop.wait(PAUSE_SECONDS)

    def look(self):
        answer = self.world.attempt("fetch config", self.config.fetch)
        assert answer.status_code == 200, answer.text
        found = answer.json().get("entries", {}).get("soak")
        assert found in self.possible, f"in force: {found}, not of {self.possible}"
        self.possible = [found]


class EventWorker:
    """One installation's events; a batch without an answer is sent again, and each counts once."""

    def __init__(self, world):
        self.world = world
        self.batch = None
        self.acknowledged = 0
        self.installation = None

    def run(self, stop):
        self.events = analytics.Analytics(
            self.world.server, self.world.project, administrator=self.world.key)
        if not self.installation:
            self.installation = self.world.attempt("install", self.events.install)
        fid, token = self.installation
        while not stop.is_set():
            if not self.batch:
                self.batch = analytics.batch(fid, *(analytics.event(EVENT) for _ in range(EVENTS_PER_BATCH)))
            answer = self.world.attempt("send events", lambda: self.events.send(self.batch, token=token))
            assert answer.status_code == 200, answer.text
            self.batch = None
            self.acknowledged += EVENTS_PER_BATCH
            stop.wait(PAUSE_SECONDS)

    def check_all(self):
        """The report's count; a batch that is still without an answer may be in it."""
        rows = self.world.attempt("report", lambda: self.events.report("events"))["events"]
        found = sum(row["now"]["events"] for row in rows if row["name"] == EVENT)
        most = self.acknowledged + (EVENTS_PER_BATCH if self.batch else 0)
        assert self.acknowledged <= found <= most, f"{found} events, not {self.acknowledged} to {most}"


class MessageWorker:
    """Messages to one device that listens; each that was acknowledged comes once, in order."""

    def __init__(self, world):
        self.world = world
        self.numbers = itertools.count(1)
        self.device = None
        self.unsure = None
        self.sequence = 0

    def run(self, stop):
        if not self.device:
            self.device = self.world.attempt(
                "register", lambda: messaging.Device(self.world.server, self.world.project).register())
        self.device.url = self.world.server.url
        self.stream = self.connect()
        try:
            if self.unsure:
                # The next message tells whether this one was taken.
                self.send(next(self.numbers))
            while not stop.is_set():
                self.send(next(self.numbers))
                stop.wait(PAUSE_SECONDS)
        finally:
            self.stream.close()

    def connect(self):
        return self.world.attempt("connect", lambda: self.device.connect(self.sequence))

    def send(self, number):
        before, self.unsure = self.unsure, number
        message = {"message": {"token": self.device.token, "data": {"n": str(number)}}}
        url = f"{self.world.server.url}/v1/projects/{self.world.project}/messages:send"
        headers = {"Authorization": f"Bearer {self.world.key}"}
        answer = self.world.attempt("send message", lambda: requests.post(
            url, json=message, headers=headers, timeout=CALL_SECONDS, verify=self.world.server.authority))
        assert answer.status_code == 200, answer.text
        found = self.receive()
        if before and found == before:
            found = self.receive()
        assert found == number, f"message {found} came, not {number}"
        self.unsure = None

    def receive(self):
        """The number of the next message; the server ends each stream some day, and the device comes back."""
        found = self.world.attempt("receive message", self.line)
        while found is None:
            self.stream = self.connect()
            found = self.world.attempt("receive message", self.line)
        self.sequence = int(found["sequence"])
        return int(found["message"]["data"]["n"])

    def line(self):
        try:
            return self.stream.line()
        except EOFError:
            return None
