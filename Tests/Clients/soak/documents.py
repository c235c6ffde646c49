"""Workers that write, read and query documents of their own with Google's client."""

import random

from google.cloud import firestore
from google.cloud.firestore_v1 import types
from google.cloud.firestore_v1.base_query import FieldFilter

from soak.ledger import Ledger
from soak.world import CALL_SECONDS, payload
from support.rpc import SERVICE

ITEM_BYTES = 600
MOST_ITEMS = 400
COUNTER = "counters/all"
GETS_PER_BATCH, GET_SECONDS = 20, 0.05


class ItemWorker:
    """One worker's documents in `items`: every kind of write and read, checked against its ledger."""

    weights = {
        "create": 8, "set": 3, "update": 8, "delete": 4, "batch": 4, "transaction": 4, "get": 12,
        "get_missing": 3, "get_many": 4, "query": 6, "count": 3, "collections": 1,
    }

    def __init__(self, world, number):
        self.world, self.number = world, number
        self.chooser = random.Random(f"{world.seed} items {number}")
        self.ledger = Ledger()
        self.next_name = 0
        self.increments = self.unsure_increments = 0

    def run(self, stop):
        """Works until `stop` is set, or the server is gone."""
        self.client = self.world.client()
        try:
            self.settle()
            while not stop.is_set():
                (kind,) = self.chooser.choices(list(self.weights), self.weights.values())
                getattr(self, kind)()
        finally:
            self.client.close()

    # Names and content

    def new_name(self):
        self.next_name += 1
        return f"{self.number}-{self.chooser.getrandbits(40):010x}-{self.next_name}"

    def some(self, count=1):
        names = list(self.ledger.revisions)
        return self.chooser.sample(names, min(count, len(names)))

    def item(self, name):
        return self.client.document(f"items/{name}")

    def content(self, name, revision):
        number = int(name.rsplit("-", 1)[1])
        data = payload(name, revision, ITEM_BYTES)
        return {"worker": self.number, "n": number, "revision": revision, "data": data}

    def revision(self, snapshot):
        """A snapshot's revision, once its content was checked; None of a document that is missing."""
        if not snapshot.exists:
            return None
        found = snapshot.to_dict()
        assert found == self.content(snapshot.id, found["revision"]), f"{snapshot.id} has other content"
        return found["revision"]

    def revisions(self, snapshots):
        return {snapshot.id: self.revision(snapshot) for snapshot in snapshots}

    # Writes

    def settle(self):
        """Decides what was unsure when the server ended."""
        if self.ledger.unsure:
            self.ledger.settle(self.read(list(self.ledger.unsure)))

    def write(self, kind, changes, call):
        self.ledger.attempt(changes)
        self.world.attempt(kind, call)
        self.ledger.acknowledge()

    def create(self):
        name = self.new_name()
        self.write("create", {name: 1}, lambda: self.item(name).create(
            self.content(name, 1), retry=None, timeout=CALL_SECONDS))

    def set(self):
        name = self.new_name()
        self.write("set", {name: 1}, lambda: self.item(name).set(
            self.content(name, 1), retry=None, timeout=CALL_SECONDS))

    def update(self):
        for name in self.some():
            revision = self.ledger.revisions[name] + 1
            self.write("update", {name: revision}, lambda: self.item(name).update(
                self.content(name, revision), retry=None, timeout=CALL_SECONDS))

    def delete(self):
        surplus = max(1, len(self.ledger.revisions) - MOST_ITEMS)
        for name in self.some(min(surplus, 20)):
            self.write("delete", {name: None}, lambda name=name: self.item(name).delete(
                retry=None, timeout=CALL_SECONDS))

    def batch(self):
        created, changes = self.new_name(), {}
        batch = self.client.batch()
        batch.create(self.item(created), self.content(created, 1))
        changes[created] = 1
        for name, is_deleted in zip(self.some(3), (True, False, False)):
            changes[name] = None if is_deleted else self.ledger.revisions[name] + 1
            if is_deleted:
                batch.delete(self.item(name))
            else:
                batch.update(self.item(name), self.content(name, changes[name]))
        self.write("batch", changes, lambda: batch.commit(retry=None, timeout=CALL_SECONDS))

    def transaction(self):
        """Counts in a document of all workers, together with one of its own."""
        name = self.new_name()
        counter = self.client.document(COUNTER)

        @firestore.transactional
        def count(transaction):
            found = counter.get(transaction=transaction, timeout=CALL_SECONDS)
            transaction.set(counter, {"n": (found.get("n") if found.exists else 0) + 1})
            transaction.create(self.item(name), self.content(name, 1))

        self.unsure_increments += 1
        self.write("transaction", {name: 1}, lambda: count(self.client.transaction(max_attempts=50)))
        self.increments += 1
        self.unsure_increments -= 1

    # Reads

    def read(self, names):
        found = self.world.attempt("get_all", lambda: list(
            self.client.get_all([self.item(name) for name in names], timeout=CALL_SECONDS)))
        return self.revisions(found)

    def get(self):
        for name in self.some():
            found = self.world.attempt("get", lambda: self.item(name).get(timeout=CALL_SECONDS))
            self.ledger.check({name: self.revision(found)})

    def get_missing(self):
        name = self.new_name()
        found = self.world.attempt("get", lambda: self.item(name).get(timeout=CALL_SECONDS))
        self.ledger.check({name: self.revision(found)})

    def get_many(self):
        self.ledger.check(self.read([*self.some(8), self.new_name()]))

    @property
    def own(self):
        return self.client.collection("items").where(filter=FieldFilter("worker", "==", self.number))

    def query(self):
        query = self.own.order_by("n", direction=firestore.Query.DESCENDING).limit(20)
        found = self.world.attempt("query", lambda: list(query.stream(timeout=CALL_SECONDS)))
        newest = sorted(self.ledger.revisions, key=lambda name: -int(name.rsplit("-", 1)[1]))[:20]
        assert [snapshot.id for snapshot in found] == newest
        self.ledger.check(self.revisions(found))

    def count(self):
        query = self.own.count(alias="count").sum("n", alias="sum")
        (found,) = self.world.attempt("aggregate", lambda: query.get(timeout=CALL_SECONDS))
        numbers = [int(name.rsplit("-", 1)[1]) for name in self.ledger.revisions]
        assert {one.alias: one.value for one in found} == {"count": len(numbers), "sum": sum(numbers)}

    def collections(self):
        found = self.world.attempt("list_collections", lambda: [
            one.id for one in self.client.collections(timeout=CALL_SECONDS)])
        assert {"bulk", "notes", "probes"} >= set(found) - {"items", "counters"}, found

    def check_all(self, client):
        """Everything is there, nothing else, and the index agrees."""
        self.client = client
        self.settle()
        found = self.world.attempt("query", lambda: list(self.own.stream(timeout=CALL_SECONDS)))
        self.ledger.check_all(self.revisions(found))


class BulkWorker:
    """Data beyond every cache: documents under random names, created in batches, read, and deleted again."""

    def __init__(self, world, most_bytes, document_bytes=8_000, batch=100):
        self.world = world
        self.document_bytes, self.batch = document_bytes, batch
        self.most_batches = most_bytes // (document_bytes * batch)
        self.chooser = random.Random(f"{world.seed} bulk")
        # Batches `low..<high` are there; of those in `unsure` it is not known.
        self.low = self.high = 0
        self.is_unsure = False

    def run(self, stop):
        channel = self.world.channel()
        try:
            self.channel = channel
            self.settle()
            while not stop.is_set():
                self.create()
                self.get()
                # Fast until there is enough; what was deleted stays in the history, so slowly from then on.
                if self.high - self.low > self.most_batches:
                    self.delete()
                    self.get_for_a_while(stop)
        finally:
            channel.close()

    def name(self, batch, index):
        """Names whose order tells nothing: neighbours lie in different tables."""
        return f"{payload(f'{self.world.seed} {batch}', index, 10).hex()}-{batch}-{index}"

    def path(self, name):
        return f"{self.world.database}/documents/bulk/{name}"

    def call(self, kind, method, message, streams=False):
        make = self.channel.unary_stream if streams else self.channel.unary_unary
        method = make(SERVICE + method, request_serializer=type(message).SerializeToString, response_deserializer=bytes)

        def answer():
            answer = method(message, timeout=CALL_SECONDS, metadata=self.world.metadata)
            return list(answer) if streams else answer

        return self.world.attempt(kind, answer)

    def commit(self, kind, batch, is_delete):
        message = types.CommitRequest.pb(types.CommitRequest(database=self.world.database))
        for index in range(self.batch):
            name, write = self.name(batch, index), message.writes.add()
            if is_delete:
                write.delete = self.path(name)
            else:
                write.update.name = self.path(name)
                write.update.fields["data"].bytes_value = payload(name, 1, self.document_bytes)
                write.current_document.exists = False
        self.is_unsure = True
        self.call(kind, "Commit", message)
        self.is_unsure = False

    def create(self):
        self.commit("bulk create", self.high, is_delete=False)
        self.high += 1

    def delete(self):
        self.commit("bulk delete", self.low, is_delete=True)
        self.low += 1

    def settle(self):
        """Decides the batch that was under way when the server ended: all of it is there, or nothing."""
        if not self.is_unsure:
            return
        self.low += self.counted(self.low) == 0 and self.low < self.high
        self.high += self.counted(self.high) > 0
        self.is_unsure = False

    def counted(self, batch):
        """How many of the batch's documents are there: all or none."""
        found = self.read([(batch, index) for index in range(self.batch)])
        assert len(found) in (0, self.batch), f"half a commit: {len(found)} of batch {batch}"
        return len(found)

    def read(self, slots):
        """The names of the documents that are there, their content checked."""
        message = types.BatchGetDocumentsRequest.pb(types.BatchGetDocumentsRequest(database=self.world.database))
        message.documents.extend(self.path(self.name(*slot)) for slot in slots)
        answers = self.call("bulk get", "BatchGetDocuments", message, streams=True)
        found = set()
        for answer in map(types.BatchGetDocumentsResponse.pb(types.BatchGetDocumentsResponse()).FromString, answers):
            if not answer.HasField("found"):
                continue
            name = answer.found.name.rsplit("/", 1)[1]
            content = answer.found.fields["data"].bytes_value
            assert content == payload(name, 1, self.document_bytes), f"{name} has other content"
            found.add(name)
        return found

    def get(self):
        """Random documents that are there, and names that never were or are no more."""
        there = [self.slot(self.low, self.high) for _ in range(8)]
        missing = [self.slot(self.high + 1, self.high + 1_000) for _ in range(4)]
        gone = [self.slot(0, self.low) for _ in range(2)] if self.low else []
        found = self.read([*there, *missing, *gone])
        assert found == {self.name(*slot) for slot in there}, "acknowledged and lost"

    def get_for_a_while(self, stop):
        for _ in range(GETS_PER_BATCH):
            if stop.wait(GET_SECONDS):
                return
            self.get()

    def slot(self, low, high):
        return self.chooser.randrange(low, high), self.chooser.randrange(self.batch)
