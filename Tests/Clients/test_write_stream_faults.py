"""Write streams under kill -9 and cut connections: acknowledged is durable, no batch is split."""

import random
import threading

import grpc
import pytest

from support import idle, relay, rpc, server as servers, streams
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
    # One time for all: batches of clients that are gone may still be on their way.
    consistency = {}
    for part in "abc":
        query = {"from_": [{"collection_id": part}]}
        answers = calls.RunQuery(parent=names.root, structured_query=query, **consistency)
        consistency = {"read_time": answers[0].read_time}
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


def test_cut_connections_lose_and_split_nothing(server):
    """Connections are cut after some bytes of the server's, so inside frames too."""
    cutting = relay.Relay(server.port, cut_after=relay.random_cuts(8, 300, 6_000))
    ledger = Ledger()
    try:
        for _ in range(6):
            run_writers(cutting.host, ledger, lambda: None)
    finally:
        cutting.close()
    assert cutting.cuts >= 6
    check(server, ledger)


def check_idle_streams(tmp_path, connections, each):
    request = rpc.types.WriteRequest({"database": rpc.Names("idle").database})
    idle.check_idle_streams(
        tmp_path, "Write", rpc.types.WriteRequest.serialize(request), answers=1,
        connections=connections, each=each, most_bytes=12_000)


def test_idle_streams_take_little_and_give_it_back(tmp_path):
    check_idle_streams(tmp_path, connections=10, each=100)


@pytest.mark.slow
def test_twenty_thousand_idle_streams(tmp_path):
    check_idle_streams(tmp_path, connections=200, each=100)


def test_garbage_on_a_stream_ends_only_that_stream(server):
    names = rpc.Names("garbage")
    chooser = random.Random(2)
    with grpc.insecure_channel(server.host) as channel:
        good = streams.WriteStream(channel, names.database)
        for _ in range(30):
            bad = streams.WriteStream(channel, names.database)
            bad.send_bytes(b"\xff" + chooser.randbytes(chooser.randint(1, 200)))
            with pytest.raises(rpc.Failure) as failure:
                bad.receive()
            assert failure.value.code == grpc.StatusCode.INVALID_ARGUMENT
            bad.cancel()
        assert len(good.write(update(names("a/1"), n=1)).write_results) == 1
        good.cancel()


def test_clients_that_vanish_leave_no_stream(server):
    def open_streams():
        lines = [line for line in server.metrics if line.startswith('brasa_open_streams{method="Write"')]
        return sum(float(line.split()[-1]) for line in lines)

    names = rpc.Names("vanish")
    pass_on = relay.Relay(server.port)
    before = open_streams()
    try:
        with grpc.insecure_channel(pass_on.host) as channel:
            opened = [streams.WriteStream(channel, names.database) for _ in range(50)]
            assert open_streams() == before + 50
            pass_on.cut_all()
            pause = threading.Event()
            for _ in range(600):
                if open_streams() == before:
                    break
                pause.wait(0.05)
            assert open_streams() == before
            for stream in opened:
                stream.cancel()
    finally:
        pass_on.close()
