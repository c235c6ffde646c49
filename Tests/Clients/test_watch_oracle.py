"""Random writes under listeners: every snapshot is what a fresh query gives at its read time."""

import os
import random
import threading

import pytest
from google.cloud import firestore
from google.cloud.firestore_v1.base_query import FieldFilter

from support import clients
from support.watching import state, watching

SEED = int(os.environ.get("BRASA_TEST_SEED", "11"))
WRITERS = 3


def queries(client):
    """The listened queries by name: `(query, is the client's order the server's?)`."""
    collection = client.collection("c")
    descending = firestore.Query.DESCENDING
    red = FieldFilter("color", "==", "red")
    return {
        "all": (collection, True),
        "red": (collection.where(filter=red), True),
        "few": (collection.where(filter=FieldFilter("n", "<", 4)), False),
        "first": (collection.order_by("n").limit(4), True),
        "last": (collection.order_by("n", direction=descending).limit(3), False),
        "red first": (collection.where(filter=red).order_by("n").limit(2), True),
        "tagged": (collection.where(filter=FieldFilter("tags", "array_contains", "x")), True),
        "either": (collection.where(filter=FieldFilter("color", "in", ["red", "blue"])).limit(5), True),
        "between": (collection.order_by("n").start_at({"n": 2}).end_at({"n": 6}), True),
        "group": (client.collection_group("c"), False),
        "one": (collection.document("d03"), True),
    }


def random_fields(chooser):
    fields = {"color": chooser.choice(["red", "green", "blue"])}
    if chooser.random() < 0.9:
        fields["n"] = chooser.randrange(10)
    if chooser.random() < 0.5:
        fields["tags"] = chooser.sample(["x", "y", "z"], chooser.randrange(4))
    return fields


def write_randomly(client, seed, commits):
    """Commits of one to four changes, some through transactions; gives the last update time."""
    chooser = random.Random(seed)
    last = None
    for _ in range(commits):
        batch = client.batch()
        for key in chooser.sample(range(20), chooser.randint(1, 4)):
            parent = "c" if chooser.random() < 0.85 else f"deep/{key % 3}/c"
            document = client.document(f"{parent}/d{key:02}")
            if chooser.random() < 0.25:
                batch.delete(document)
            elif chooser.random() < 0.3:
                batch.set(document, {"n": chooser.randrange(10)}, merge=True)
            else:
                batch.set(document, random_fields(chooser))
        batch.set(client.document(f"marks/{seed}"), {"at": firestore.SERVER_TIMESTAMP})
        last = batch.commit()[-1].update_time
    return last


def fresh(source, read_time):
    """The state of a fresh read at that time, as `Snapshot.state` shows one."""
    if hasattr(source, "collections"):
        snapshot = source.get(read_time=read_time)
        found = [snapshot] if snapshot.exists else []
    else:
        found = list(source.stream(read_time=read_time))
    return state(found)


def by_name(state):
    return sorted(state, key=lambda each: each[0])


def check(name, source, is_ordered, watcher, described):
    times = [snapshot.read_time for snapshot in watcher.snapshots]
    assert times == sorted(times), f"{described}: read times of {name} go back"
    for number, snapshot in enumerate(watcher.snapshots):
        expected, shown = fresh(source, snapshot.read_time), snapshot.state()
        if not is_ordered:
            expected, shown = by_name(expected), by_name(shown)
        assert shown == expected, f"{described}: snapshot {number} of {name} at {snapshot.read_time}"


@pytest.mark.emulator_differs("it shows no past and resets on each write")
@pytest.mark.parametrize("round_number", range(3))
def test_every_snapshot_is_a_fresh_query_at_its_read_time(server, project, client, round_number):
    seed = SEED * 1000 + round_number
    described = f"seed {seed}"
    print(described)
    write_randomly(client, seed + 1, 10)
    sources = queries(client)
    with watching(*[source for source, _ in sources.values()]) as watchers:
        others = [clients.connect(server, project) for _ in range(WRITERS)]
        ends = [None] * WRITERS

        def run(index):
            ends[index] = write_randomly(others[index], seed * 100 + index, 40)

        threads = [threading.Thread(target=run, args=(index,)) for index in range(WRITERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert all(ends), described
        for other in others:
            other.close()
        settle(client, sources, watchers, described)
        for (name, (source, is_ordered)), watcher in zip(sources.items(), watchers):
            check(name, source, is_ordered, watcher, described)
            assert watcher.watch.is_active


def settle(client, sources, watchers, described):
    """Waits until each listener shows what is stored now."""
    for (name, (source, is_ordered)), watcher in zip(sources.items(), watchers):
        stored = fresh(source, None)

        def shows(snapshot, stored=stored, is_ordered=is_ordered):
            shown = snapshot.state()
            return shown == stored if is_ordered else by_name(shown) == by_name(stored)

        try:
            watcher.until(shows)
        except AssertionError as failure:
            raise AssertionError(f"{described}: {name} does not settle: {failure}") from None
