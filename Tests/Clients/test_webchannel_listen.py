"""A browser's listener and Google's client on the same data: each sees what the other writes, in order."""

import contextlib
import threading
import time

import pytest

from support import webchannel
from support.server import wait_for
from support.watching import watching

pytestmark = pytest.mark.brasa_only


class Listener:
    """Listens to the collection `c` as a page does, and keeps what it holds at each consistency point."""

    def __init__(self, server, database):
        self.session = webchannel.Session(server, database, method="Listen")
        query = {
            "parent": f"{database}/documents",
            "structuredQuery": {"from": [{"collectionId": "c"}]},
        }
        target = {"targetId": 2, "query": query}
        assert self.session.open([{"database": database, "addTarget": target}]).status_code == 200
        self.held = {}
        self.is_current = False
        # What the client held, by the id; and when anything at all came.
        self.snapshots = []
        self.arrivals = [time.monotonic()]
        self.failure = None
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        number = 0
        try:
            while True:
                back = self.session.get(aid=number)
                if not isinstance(back, webchannel.BackChannel):
                    return
                while (array := back.next()) is not None:
                    assert array[0] == number + 1, f"{array} after {number}"
                    number = array[0]
                    self.arrivals.append(time.monotonic())
                    for message in array[1]:
                        if message != "noop":
                            self.take(message)
        except Exception as error:  # what it was is for the test to say
            self.failure = error

    def take(self, message):
        if (change := message.get("documentChange")) is not None:
            fields = change["document"]["fields"]
            identifier = change["document"]["name"].rsplit("/", 1)[1]
            self.held[identifier] = int(fields["n"]["integerValue"])
        elif (change := message.get("targetChange")) is not None:
            kind = change.get("targetChangeType", "NO_CHANGE")
            assert kind in ("NO_CHANGE", "ADD", "CURRENT"), message
            self.is_current |= kind == "CURRENT"
            if kind == "NO_CHANGE" and not change.get("targetIds") and self.is_current:
                self.snapshots.append(dict(self.held))
        else:
            raise AssertionError(message)

    def until(self, held):
        def shows():
            assert self.failure is None, self.failure
            return self.snapshots and self.snapshots[-1] == held

        wait_for(shows, f"{held}, the last of {self.snapshots[-1:]}")


class Writer:
    """Writes documents of `c` as a page does."""

    def __init__(self, server, database):
        self.session = webchannel.Session(server, database)
        assert self.session.open().status_code == 200
        ((_, (opening,)),) = self.session.get(long_poll=True).rest()
        self.token = opening["streamToken"]
        self.root = f"{database}/documents/c"

    def set(self, identifier, n):
        update = {"name": f"{self.root}/{identifier}", "fields": {"n": {"integerValue": str(n)}}}
        self.session.post([{"streamToken": self.token, "writes": [{"update": update}]}], aid=1)


@pytest.fixture
def page(server, names):
    """A listener and a writer of one page."""
    with contextlib.ExitStack() as stack:
        made = Listener(server, names.database), Writer(server, names.database)
        for part in made:
            stack.callback(part.session.close)
            stack.callback(lambda part=part: part.session.twin().terminate())
        yield made
    made[0].reader.join(30)


def test_a_page_and_a_client_see_each_others_writes_in_order(page, client):
    listener, writer = page
    listener.until({})
    collection = client.collection("c")
    with watching(collection) as watcher:
        watcher.until_members([])
        for n in range(1, 11):
            if n % 2:
                collection.document("x").set({"n": n})
            else:
                writer.set("x", n)
            watcher.until(lambda snapshot: snapshot.data == {"x": {"n": n}})
            listener.until({"x": n})
        shown = [snapshot.data["x"]["n"] for snapshot in watcher.snapshots if snapshot.documents]
        assert shown == list(range(1, 11))
        seen = [snapshot["x"] for snapshot in listener.snapshots if snapshot]
        assert seen == sorted(seen) and set(seen) == set(range(1, 11))

        # Both at once: nobody sees a later write of the other before an earlier one.
        def write():
            for n in range(20):
                collection.document(f"client{n}").set({"n": n})

        other = threading.Thread(target=write)
        other.start()
        for n in range(20):
            writer.set(f"page{n}", n)
        other.join()
        everything = {"x": 10} | {f"{who}{n}": n for who in ("client", "page") for n in range(20)}
        listener.until(everything)
        watcher.until(lambda snapshot: {k: v["n"] for k, v in snapshot.data.items()} == everything)
        for held in [*listener.snapshots, *(snapshot.data for snapshot in watcher.snapshots)]:
            for who in ("client", "page"):
                count = sum(identifier.startswith(who) for identifier in held)
                assert all(f"{who}{n}" in held for n in range(count)), held


@pytest.mark.slow
def test_a_quiet_page_hears_something_before_a_proxy_cuts_it(page, client):
    listener, _ = page
    listener.until({})
    enough = len(listener.snapshots) + 2
    wait_for(lambda: len(listener.snapshots) >= enough, "two heartbeats", seconds=75)
    gaps = [later - earlier for earlier, later in zip(listener.arrivals, listener.arrivals[1:])]
    assert max(gaps) < 45, gaps
    client.document("c/x").set({"n": 1})
    listener.until({"x": 1})
