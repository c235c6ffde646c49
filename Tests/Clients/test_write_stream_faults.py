"""Write streams under kill -9 and cut connections: acknowledged is durable, no batch is split."""

import random
import threading

import grpc
import pytest

from support import rpc, server as servers, streams
from support.streams import update

pytestmark = pytest.mark.brasa_only

WRITERS = 4


class Ledger:
    """What each writer was told, and how far it got."""

    def __init__(self):
        self.lock = threading.Lock()
        self.acknowledged = {}
        self.sent = {}

    def note(self, table, writer, number):
        with self.lock:
            table[writer] = max(table.get(writer, -1), number)


def write_until_it_dies(host, ledger, writer, first):
    """Sends batches of three documents, up to ten unanswered, until the stream breaks."""
    names = rpc.Names("faults")
    with grpc.insecure_channel(host) as channel:
        try:
            stream = streams.WriteStream(channel, names.database)
            number = answered = ledger.sent.get(writer, -1) + 1
            while True:
                while number - answered < 10:
                    ledger.note(ledger.sent, writer, number)
                    stream.put(*(update(names(f"{part}/{writer}-{number}"), n=number) for part in "abc"))
                    number += 1
                assert len(stream.receive().write_results) == 3
                ledger.note(ledger.acknowledged, writer, answered)
                answered += 1
                first.set()
        except rpc.Failure:
            return


def documents(server):
    calls = rpc.Calls(server.host)
    names = rpc.Names("faults")
    found = {}
    for part in "abc":
        query = {"from_": [{"collection_id": part}]}
        answers = calls.RunQuery(parent=names.root, structured_query=query)
        found[part] = {a.document.name.rsplit("/", 1)[1] for a in answers if a.document.name}
    calls.close()
    return found


def check(server, ledger):
    found = documents(server)
    assert found["a"] == found["b"] == found["c"], "a batch was split"
    for writer, last in ledger.acknowledged.items():
        # The stream's order: what is acknowledged is there, and nothing beyond what was sent.
        here = sorted(int(key.split("-")[1]) for key in found["a"] if key.startswith(f"{writer}-"))
        assert here and here[-1] <= ledger.sent[writer]
        assert last in here, f"acknowledged and lost: writer {writer}, batch {last}"


def run_writers(host, ledger, disturb):
    first = threading.Event()
    writers = [
        threading.Thread(target=write_until_it_dies, args=(host, ledger, writer, first))
        for writer in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    assert first.wait(30)
    disturb()
    for writer in writers:
        writer.join(60)
    assert not any(writer.is_alive() for writer in writers)


def test_kills_between_batches_lose_and_split_nothing(tmp_path):
    server = servers.Brasa(tmp_path / "data")
    ledger, chooser = Ledger(), random.Random(5)
    try:
        for _ in range(4):
            server.start()

            def kill():
                # When the kill comes is the random part of the experiment.
                threading.Event().wait(chooser.uniform(0.001, 0.2))
                server.kill()

            run_writers(server.host, ledger, kill)
            server.start()
            check(server, ledger)
            server.stop()
    finally:
        server.kill()
    assert sum(ledger.acknowledged.values()) > 4
