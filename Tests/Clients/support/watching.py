"""Snapshot listeners of Google's client, whose snapshots tests wait for.

The client sorts each snapshot itself, and takes a descending order for an ascending one
(`Query._comparator` multiplies by the enumeration's number, which is 2). So tests of descending
orders look at which documents a snapshot has, not at their order.
"""

import contextlib
import threading
from typing import NamedTuple

from support.server import START_SECONDS as WAIT_SECONDS


def state(documents):
    """Names, versions and content. (Of a collection group the client leaves times as messages.)"""
    def nanoseconds(time):
        return (time.timestamp_pb() if hasattr(time, "timestamp_pb") else time).ToNanoseconds()

    return [(d.reference.path, nanoseconds(d.update_time), d.to_dict()) for d in documents]


class Snapshot(NamedTuple):
    """One call of a listener: documents in order, what changed, and the time it shows."""

    documents: list
    changes: list
    read_time: object

    @property
    def ids(self):
        return [document.id for document in self.documents]

    @property
    def data(self):
        return {document.id: document.to_dict() for document in self.documents}

    @property
    def kinds(self):
        """The changes as `(kind, id)`, in their order."""
        return [(change.type.name, change.document.id) for change in self.changes]

    def state(self):
        """What a fresh query would have to give: names, versions and content, in order."""
        return state(self.documents)


class Watcher:
    """Listens to a document, collection or query and keeps every snapshot."""

    def __init__(self, source):
        self.snapshots = []
        self._changed = threading.Condition()
        self._seen = 0
        self.watch = source.on_snapshot(self._take)

    def _take(self, documents, changes, read_time):
        with self._changed:
            self.snapshots.append(Snapshot(list(documents), list(changes), read_time))
            self._changed.notify_all()

    @property
    def latest(self):
        with self._changed:
            return self.snapshots[-1] if self.snapshots else None

    def next(self, seconds=WAIT_SECONDS):
        """The first snapshot that was not given yet."""
        with self._changed:
            arrived = self._changed.wait_for(lambda: len(self.snapshots) > self._seen, seconds)
            assert arrived, f"no snapshot within {seconds} s after {self.described()}"
            self._seen += 1
            return self.snapshots[self._seen - 1]

    def until(self, condition, seconds=WAIT_SECONDS):
        """The latest snapshot, once the condition holds for it."""
        with self._changed:
            def holds():
                return bool(self.snapshots) and condition(self.snapshots[-1])

            assert self._changed.wait_for(holds, seconds), f"waited in vain; {self.described()}"
            self._seen = len(self.snapshots)
            return self.snapshots[-1]

    def until_ids(self, ids, seconds=WAIT_SECONDS):
        """The latest snapshot, once it shows these documents in this order."""
        return self.until(lambda snapshot: snapshot.ids == list(ids), seconds)

    def until_members(self, ids, seconds=WAIT_SECONDS):
        """The latest snapshot, once it shows these documents in any order."""
        return self.until(lambda snapshot: sorted(snapshot.ids) == sorted(ids), seconds)

    def described(self):
        return f"{len(self.snapshots)} snapshots, the last {self.snapshots[-1:] and self.snapshots[-1].ids}"

    def close(self):
        self.watch.unsubscribe()


@contextlib.contextmanager
def watching(*sources):
    """Watchers of the sources while the block runs: one, or a list of several."""
    watchers = [Watcher(source) for source in sources]
    try:
        yield watchers[0] if len(watchers) == 1 else watchers
    finally:
        for watcher in watchers:
            watcher.close()
