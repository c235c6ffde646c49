"""kill -9 while dense and sparse indexes are built and written to; then each index agrees with a scan."""

import contextlib
import random
import threading

import pytest
from google.api_core import exceptions
from google.cloud.firestore_v1.pipeline_expressions import Field
from google.cloud.firestore_v1.query_profile import PipelineExplainOptions

from support import clients, rest, server as servers

pytestmark = pytest.mark.brasa_only

PROJECT = "kills"
WRITERS = 3
BATCH = 400
FIELDS = ("a", "b")
INDEXES = {
    "DENSE": [("a", "ASCENDING"), ("b", "DESCENDING")],
    "SPARSE_ANY": [("b", "ASCENDING"), ("a", "ASCENDING")],
}


def rank(fields, name):
    """The place of a value in an ascending order, in which an absent field is null."""
    value = fields.get(name)
    return -1 if value is None else value


def some_fields(chooser):
    """Fields of which each may be absent or null."""
    chosen = {name: chooser.choice([None, chooser.randrange(40)]) for name in FIELDS if chooser.random() < 0.7}
    return {**chosen, "n": chooser.randrange(2**31)}


class Experiment:
    """A server that is killed again and again, and the states that its documents may have."""

    def __init__(self, directory, seed, documents, program=None):
        self.server = servers.Brasa(directory / "data", program=program)
        self.chooser = random.Random(seed)
        self.names = [f"d{number:05}" for number in range(documents)]
        # The acknowledged state of each document, and after a failure the one that was attempted.
        self.possible = {name: [None] for name in self.names}
        self.built = 0

    @contextlib.contextmanager
    def started(self):
        self.server.start()
        del self.server.lines[:-200]
        with contextlib.closing(clients.connect(self.server, PROJECT)) as client:
            yield client, rest.Rest(self.server, PROJECT)

    def fill(self):
        with self.started() as (client, _):
            for start in range(0, len(self.names), BATCH):
                batch = client.batch()
                for name in self.names[start : start + BATCH]:
                    self.possible[name] = [some_fields(self.chooser)]
                    batch.set(client.document(f"things/{name}"), self.possible[name][0])
                batch.commit()
        self.server.kill()

    def indexes(self, http):
        return http.call("GET", f"{http.database}/collectionGroups/things/indexes").get("indexes", [])

    def create(self, http, density):
        fields = [{"fieldPath": name, "order": order} for name, order in INDEXES[density]]
        body = {"queryScope": "COLLECTION", "density": density, "fields": fields}
        http.call("POST", f"{http.database}/collectionGroups/things/indexes", json=body)

    def write_and_kill(self, cycle):
        """Kills the server while writers are busy and an index is built, which a third of the time has just been dropped."""
        with self.started() as (client, http):
            self.check(client, http)
            stop, begun = threading.Event(), threading.Barrier(WRITERS + 1)
            writers = [
                threading.Thread(target=self.write, args=(client, number, self.chooser.random(), stop, begun))
                for number in range(WRITERS)
            ]
            for writer in writers:
                writer.start()
            begun.wait(60)
            for density in INDEXES:
                known = [index for index in self.indexes(http) if index["density"] == density]
                if known and self.chooser.random() < 0.7:
                    http.call("DELETE", known[0]["name"])
                    known = []
                if not known:
                    self.create(http, density)
            # When the kill comes is the random part of the experiment.
            stop.wait(self.chooser.uniform(0, 0.3))
            self.server.kill()
            stop.set()
            for writer in writers:
                writer.join(60)
            assert not any(writer.is_alive() for writer in writers), cycle

    def write(self, client, number, seed, stop, begun):
        """Sets, changes and deletes documents that no other writer touches, until the server is gone."""
        chooser = random.Random(seed)
        own = self.names[number::WRITERS]
        begun.wait(60)
        while not stop.is_set():
            name = chooser.choice(own)
            (before,) = self.possible[name]
            after = None if chooser.random() < 0.2 else some_fields(chooser)
            self.possible[name] = [before, after]
            document = client.document(f"things/{name}")
            try:
                if after is None:
                    document.delete(retry=None, timeout=10)
                else:
                    document.set(after, retry=None, timeout=10)
            except exceptions.GoogleAPIError:
                # The server was killed: the write may or may not be there.
                return
            self.possible[name] = [after]

    def check(self, client, http):
        """The documents are those that were acknowledged, and each index gives what a scan gives."""
        found = {snapshot.id: snapshot.to_dict() for snapshot in client.collection("things").stream()}
        for name, possible in self.possible.items():
            assert found.get(name) in possible, f"{name}: {found.get(name)} instead of one of {possible}"
            self.possible[name] = [found.get(name)]
        assert found.keys() <= self.possible.keys()
        densities = {index["density"] for index in self.settled(http)}
        things = client.pipeline().collection("things")
        if "DENSE" in densities:
            plan, rows = explained(
                things.sort(
                    Field.of("a").ascending(), Field.of("b").descending(), Field.of("__name__").descending()
                )
            )
            assert "index (a ASC, b DESC, __name__ DESC)" in plan and "Sort" not in plan, plan
            expected = sorted(found, reverse=True)
            expected.sort(key=lambda name: (rank(found[name], "a"), -rank(found[name], "b")))
            assert rows == expected, difference(rows, expected)
            self.built += 1
        if "SPARSE_ANY" in densities:
            plan, rows = explained(
                things.where(Field.of("b").greater_than(4)).sort(
                    Field.of("b").ascending(), Field.of("a").ascending(), Field.of("__name__").ascending()
                )
            )
            assert "index (b ASC, a ASC, __name__ ASC)" in plan and "Sort" not in plan, plan
            expected = sorted(name for name in found if rank(found[name], "b") > 4)
            expected.sort(key=lambda name: (rank(found[name], "b"), rank(found[name], "a")))
            assert rows == expected, difference(rows, expected)
            self.built += 1
        self.check_classic(client, found)

    def check_classic(self, client, found):
        """An ordinary query leaves out documents without one of the fields, whatever index it uses."""
        ordered = client.collection("things").order_by("b").order_by("a")
        expected = sorted(name for name in found if FIELDS[0] in found[name] and FIELDS[1] in found[name])
        expected.sort(key=lambda name: (rank(found[name], "b"), rank(found[name], "a")))
        rows = [snapshot.id for snapshot in ordered.stream()]
        assert rows == expected, difference(rows, expected)

    def settled(self, http):
        """The indexes, once none is being built."""

        def built():
            known = self.indexes(http)
            return [known] if all(index["state"] == "READY" for index in known) else None

        return servers.wait_for(built, "the indexes")[0]

    def finish(self):
        with self.started() as (client, http):
            known = {index["density"] for index in self.indexes(http)}
            for density in INDEXES.keys() - known:
                self.create(http, density)
            self.settled(http)
            self.check(client, http)
        assert self.server.stop() == 0
        done = servers.run("verify", "--data", self.server.data, timeout=600, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def explained(pipeline):
    """The plan and the IDs of a pipeline's documents."""
    result = pipeline.execute(explain_options=PipelineExplainOptions())
    names = [row.id for row in result]
    return result.explain_stats.get_text(), names


def difference(rows, expected):
    """The first documents in which two lists differ."""
    place = next((n for n, (a, b) in enumerate(zip(rows, expected)) if a != b), min(len(rows), len(expected)))
    return f"{len(rows)} instead of {len(expected)}, at {place} {rows[place:][:3]} instead of {expected[place:][:3]}"


def run(directory, cycles, seed, documents, program=None):
    """Gives the number of comparisons with an index."""
    print(f"seed {seed}")
    experiment = Experiment(directory, seed, documents, program)
    try:
        experiment.fill()
        for cycle in range(cycles):
            experiment.write_and_kill(cycle)
        experiment.finish()
    finally:
        experiment.server.kill()
    return experiment.built


def test_dense_and_sparse_indexes_outlive_some_kills(tmp_path):
    assert run(tmp_path, cycles=3, seed=1, documents=600) >= 4


@pytest.mark.slow
def test_dense_and_sparse_indexes_outlive_a_hundred_kills(tmp_path):
    seed = random.randrange(2**32)
    assert run(tmp_path, 100, seed, documents=4_000, program=servers.release_binary()) >= 100
