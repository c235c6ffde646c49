"""Writers that note what the server acknowledged, for tests that kill the server under them.

Every write is one of two kinds: a batch of two documents that carry the same number (so half a
batch can be seen), or an increment of a counter.
"""

import threading

from google.cloud import firestore


class Ledger:
    """What was acknowledged so far, over all kills."""

    def __init__(self):
        self.lock = threading.Lock()
        self.pairs = set()
        self.attempted = set()
        self.increments = 0
        self.unsure_increments = 0
        self.next_number = 0

    def take_number(self):
        with self.lock:
            self.next_number += 1
            self.attempted.add(self.next_number)
            return self.next_number

    def acknowledge_pair(self, number):
        with self.lock:
            self.pairs.add(number)

    def note_increment(self, acknowledged):
        with self.lock:
            if acknowledged:
                self.increments += 1
            else:
                self.unsure_increments += 1


def write_until_it_dies(client, ledger, stop, first_write):
    """One writer: pairs and increments until `stop` is set or the server is gone."""
    try:
        while not stop.is_set():
            number = ledger.take_number()
            batch = client.batch()
            batch.set(client.document(f"left/{number}"), {"n": number, "bucket": number % 7})
            batch.set(client.document(f"right/{number}"), {"n": number, "text": "x" * 200})
            batch.commit(retry=None, timeout=10)
            ledger.acknowledge_pair(number)
            first_write.set()
            if number % 4 == 0:
                counter = client.document("counters/all")
                try:
                    counter.set({"n": firestore.Increment(1)}, merge=True, retry=None, timeout=10)
                except Exception:
                    ledger.note_increment(acknowledged=False)
                    raise
                ledger.note_increment(acknowledged=True)
    except Exception:
        # The server was killed: what was not acknowledged may or may not be there.
        return


def check(client, ledger):
    """Every acknowledged write is there, none is half there, and indexes agree with documents."""
    left = {s.get("n") for s in client.collection("left").stream()}
    right = {s.get("n") for s in client.collection("right").stream()}
    assert left == right, f"half a batch: {sorted(left ^ right)[:10]}"
    assert ledger.pairs <= left, f"acknowledged and lost: {sorted(ledger.pairs - left)[:10]}"
    assert left <= ledger.attempted, f"never written: {sorted(left - ledger.attempted)[:10]}"
    by_index = [s.get("n") for s in client.collection("left").order_by("bucket").stream()]
    assert sorted(by_index) == sorted(left), "the index disagrees with the documents"
    check_counter(client, ledger)


def check_since(client, ledger, number):
    """The same of the writes from that number on, without their index."""
    numbers = sorted(n for n in ledger.attempted if n >= number)
    left, right = (
        {s.get("n") for s in client.get_all([client.document(f"{side}/{n}") for n in numbers]) if s.exists}
        for side in ("left", "right")
    )
    assert left == right, f"half a batch: {sorted(left ^ right)[:10]}"
    recent = {n for n in ledger.pairs if n >= number}
    assert recent <= left, f"acknowledged and lost: {sorted(recent - left)[:10]}"
    check_counter(client, ledger)


def check_counter(client, ledger):
    snapshot = client.document("counters/all").get()
    count = snapshot.get("n") if snapshot.exists else 0
    least, most = ledger.increments, ledger.increments + ledger.unsure_increments
    assert least <= count <= most, f"the counter is {count}, not within {least}...{most}"
