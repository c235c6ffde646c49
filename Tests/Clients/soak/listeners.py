"""Listeners that must hold, whenever the writers rest, just what the writers' ledgers say."""

import json
import threading

from soak.ledger import difference
from support import webchannel
from support.listening import ListenStream
from support.server import wait_for

SETTLE_SECONDS = 120
TARGET = 2


class GRPCListener:
    """A listener by gRPC to one worker's documents; after a restart it goes on from its token."""

    def __init__(self, world, worker):
        self.world, self.worker = world, worker
        self.held, self.token = {}, b""
        self.resumed = 0

    def open(self):
        self.channel = self.world.channel()
        self.stream = ListenStream(self.channel, self.world.database, metadata=self.world.metadata)
        where = [("worker", "EQUAL", {"integer_value": self.worker.number})]
        more = {"resume_token": self.token} if self.token else {}
        self.target = self.stream.add(
            TARGET, self.stream.query("items", where=where), self.held if self.token else {}, **more)
        self.resumed += bool(more)

    def revisions(self):
        """What it holds; a filter that counts other documents has it begin anew, as clients do."""
        with self.stream._changed:
            self.held, self.token = dict(self.target.consistent), self.target.token
            return {
                name.rsplit("/", 1)[1]: document.fields["revision"].integer_value
                for name, document in self.held.items()
            }

    def check(self):
        expected = self.worker.ledger.revisions
        try:
            self.stream.until(lambda: self.target.is_current and self.revisions() == expected, SETTLE_SECONDS)
        except AssertionError as failure:
            found = difference(self.revisions(), expected)
            raise AssertionError(f"the listener of worker {self.worker.number} has {found}") from failure

    def close(self):
        self.stream.cancel()
        self.channel.close()


class BrowserListener:
    """A listener by WebChannel, as a page has it; it begins anew with each start of the server."""

    def __init__(self, world, worker):
        self.world, self.worker = world, worker

    def open(self):
        world = self.world
        self.session = webchannel.Session(world.server, world.database, "Listen", verify=world.server.authority)
        field = {"fieldPath": "worker"}
        number = {"integerValue": str(self.worker.number)}
        query = {
            "from": [{"collectionId": "items"}],
            "where": {"fieldFilter": {"field": field, "op": "EQUAL", "value": number}},
        }
        target = {"targetId": TARGET, "query": {"parent": f"{world.database}/documents", "structuredQuery": query}}
        opening = json.dumps({"database": world.database, "addTarget": target})
        answer = self.session.open([opening], authorization=f"Bearer {world.key}")
        assert answer.status_code == 200, answer.text
        self.pending, self.held, self.is_current = {}, {}, False
        self.failure = None
        self.is_closed = False
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        number = 0
        try:
            while not self.is_closed:
                back = self.session.get(aid=number)
                assert isinstance(back, webchannel.BackChannel), back.text
                while (array := back.next()) is not None:
                    assert array[0] == number + 1, f"{array} after {number}"
                    number = array[0]
                    for message in array[1]:
                        if message != "noop":
                            self.take(message)
        except Exception as error:  # the check tells, unless the server was ended
            self.failure = error

    def take(self, message):
        if change := message.get("documentChange"):
            name = change["document"]["name"].rsplit("/", 1)[1]
            if TARGET in change.get("targetIds", ()):
                self.pending[name] = int(change["document"]["fields"]["revision"]["integerValue"])
            else:
                self.pending.pop(name, None)
        elif change := message.get("documentDelete") or message.get("documentRemove"):
            self.pending.pop(change["document"].rsplit("/", 1)[1], None)
        elif change := message.get("targetChange"):
            kind = change.get("targetChangeType", "NO_CHANGE")
            assert kind in ("NO_CHANGE", "ADD", "CURRENT", "RESET"), message
            if kind == "RESET":
                self.pending = {}
            self.is_current = self.is_current and kind != "RESET" or kind == "CURRENT"
            if kind == "NO_CHANGE" and not change.get("targetIds") and self.is_current:
                self.held = dict(self.pending)
        else:
            assert "filter" in message, message

    def check(self):
        expected = self.worker.ledger.revisions

        def agrees():
            assert self.failure is None, f"the page's listener: {self.failure!r}"
            return self.is_current and self.held == expected

        try:
            wait_for(agrees, "the page's listener", SETTLE_SECONDS)
        except AssertionError as failure:
            raise AssertionError(f"{failure}: {difference(self.held, expected)}") from failure

    def close(self):
        self.is_closed = True
        self.session.close()
        self.reader.join(SETTLE_SECONDS)
