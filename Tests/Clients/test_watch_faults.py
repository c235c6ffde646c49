"""Listeners under restarts, kills, cuts and stalls: they end at what a fresh query gives."""

import os
import random
import threading
import time

import grpc
import pytest
from google.cloud import firestore
from google.cloud.firestore_v1 import types
from google.cloud.firestore_v1.base_query import FieldFilter

from support import clients, idle
from support import server as servers
from support.listening import ListenStream, ResumingListener
from support.relay import Relay, random_cuts
from support.rpc import Calls, Names
from support.watching import state, watching
from support.workers import Address

pytestmark = pytest.mark.brasa_only

SEED = int(os.environ.get("BRASA_TEST_SEED", "5"))


@pytest.fixture
def restartable(tmp_path):
    """A server that comes back on the same port."""
    running = servers.Brasa(tmp_path / "data", "--port", str(servers.free_port())).start()
    yield running
    running.kill()


def sources(client):
    collection = client.collection("c")
    return [
        collection,
        collection.where(filter=FieldFilter("even", "==", True)),
        collection.order_by("n").limit(3),
        collection.document("d1"),
        client.collection_group("c"),
    ]


class Writer:
    """Writes until it is stopped, whatever happens to the server, and notes what was acknowledged."""

    def __init__(self, server, seed):
        self.client = clients.connect(server, "p")
        self.chooser = random.Random(seed)
        self.acknowledged = {}
        self.unsure = {}
        self.count = 0
        self.is_over = threading.Event()
        self.changed = threading.Condition()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.is_over.is_set():
            self.count += 1
            key = f"d{self.chooser.randrange(12)}"
            document = self.client.document(f"c/{key}")
            fields = None
            if self.chooser.random() < 0.8:
                fields = {"n": self.count, "even": self.count % 2 == 0, "text": "x" * 300}
            self.unsure.setdefault(key, []).append(fields)
            try:
                if fields is None:
                    document.delete(retry=None, timeout=5)
                else:
                    document.set(fields, retry=None, timeout=5)
            except Exception:
                self.is_over.wait(0.02)
                continue
            with self.changed:
                self.acknowledged[key] = fields
                self.unsure[key] = []
                self.changed.notify_all()

    def until_acknowledged(self, more):
        """Waits for so many more writes that were acknowledged."""
        with self.changed:
            target = self.count + more
            assert self.changed.wait_for(lambda: self.count >= target, 60), "writes do not go on"

    def stop(self):
        self.is_over.set()
        self.thread.join(30)
        assert not self.thread.is_alive()

    def check(self):
        """What was acknowledged is there, unless a write of unknown fate came after it."""
        stored = {s.id: s.to_dict() for s in self.client.collection("c").stream()}
        for key, fields in self.acknowledged.items():
            possible = [fields, *self.unsure[key]]
            assert stored.get(key) in possible, f"{key}: an acknowledged write is lost"


def settle(client, watchers, described):
    """Waits until each listener shows what is stored."""
    for number, (source, watcher) in enumerate(zip(sources(client), watchers)):
        if hasattr(source, "collections"):
            snapshot = source.get()
            stored = state([snapshot]) if snapshot.exists else []
        else:
            stored = state(source.stream())
        stored.sort(key=lambda each: each[0])
        try:
            watcher.until(lambda s, stored=stored: sorted(s.state(), key=lambda e: e[0]) == stored, 60)
        except AssertionError as failure:
            raise AssertionError(f"{described}: listener {number} does not settle: {failure}") from None


def check_times(watchers, described):
    for watcher in watchers:
        times = [snapshot.read_time for snapshot in watcher.snapshots]
        assert times == sorted(times), f"{described}: read times go back"


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_listeners_survive_a_restart(restartable, how):
    client = clients.connect(restartable, "p")
    collection = client.collection("c")
    for number in range(5):
        collection.document(f"d{number}").set({"n": number, "even": number % 2 == 0})
    with watching(*sources(client)) as watchers:
        for watcher in watchers:
            watcher.next()
        restartable.stop() if how == "stop" else restartable.kill()
        restartable.start()
        other = clients.connect(restartable, "p")
        other.document("c/d1").set({"n": -1, "even": True})
        other.document("c/d2").delete()
        other.document("c/new").set({"n": 0.5, "even": False})
        settle(other, watchers, how)
        # They were told of the difference, not of everything anew.
        kinds = [kind for snapshot in watchers[0].snapshots[1:] for kind in snapshot.kinds]
        assert sorted(kinds) == [("ADDED", "new"), ("MODIFIED", "d1"), ("REMOVED", "d2")]
        assert all(watcher.watch.is_active for watcher in watchers)
        check_times(watchers, how)
        other.close()
    client.close()


def run_restarts(server, cycles, seed):
    """Restarts and kills under listeners and writers; then all agree."""
    described = f"seed {seed}"
    print(described)
    chooser = random.Random(seed)
    client = clients.connect(server, "p")
    with watching(*sources(client)) as watchers:
        for watcher in watchers:
            watcher.next()
        writers = [Writer(server, seed)]
        for _ in range(cycles):
            writers[0].until_acknowledged(20)
            server.stop() if chooser.random() < 0.3 else server.kill()
            server.start()
        writers[0].until_acknowledged(20)
        writers[0].stop()
        other = clients.connect(server, "p")
        settle(other, watchers, described)
        writers[0].check()
        check_times(watchers, described)
        for watcher, source in zip(watchers, sources(other)):
            for snapshot in watcher.snapshots[-30:]:
                if hasattr(source, "collections"):
                    continue
                fresh = state(source.stream(read_time=snapshot.read_time))
                shown = snapshot.state()
                assert sorted(shown, key=lambda e: e[0]) == sorted(fresh, key=lambda e: e[0]), described
        other.close()
    client.close()


def test_listeners_and_writers_survive_some_restarts(restartable):
    run_restarts(restartable, 3, SEED)


@pytest.mark.slow
def test_listeners_and_writers_survive_many_restarts(restartable):
    run_restarts(restartable, 40, SEED + 1)


def contents(database):
    """The targets of `sources`, and how to ask for the same documents."""
    root = f"{database}/documents"

    def query(**more):
        everywhere = more.pop("everywhere", False)
        selector = {"collection_id": "c", "all_descendants": everywhere}
        return {"query": {"parent": root, "structured_query": {"from_": [selector], **more}}}

    even = {"field": {"field_path": "even"}, "op": "EQUAL", "value": {"boolean_value": True}}
    return [
        query(),
        query(where={"field_filter": even}),
        query(order_by=[{"field": {"field_path": "n"}, "direction": "ASCENDING"}], limit=3),
        {"documents": {"documents": [f"{root}/c/d1"]}},
        query(everywhere=True),
    ]


def settle_resumed(client, database, listeners, described):
    """Waits until each listener holds what a fresh query gives, in the same versions."""
    for number, (source, listener) in enumerate(zip(sources(client), listeners)):
        if hasattr(source, "collections"):
            snapshot = source.get()
            found = [snapshot] if snapshot.exists else []
        else:
            found = list(source.stream())
        stored = {f"{database}/documents/{path}": time for path, time, _ in state(found)}

        def agrees(held, stored=stored):
            shown = {name: d._pb.update_time.ToNanoseconds() for name, d in held.items()}
            return shown == stored

        try:
            listener.until(agrees, 60)
        except AssertionError as failure:
            raise AssertionError(f"{described}: listener {number} does not settle: {failure}") from None


def run_cuts(server, cuts, seed):
    """Connections that are cut after random numbers of bytes, under a writer.

    The listeners are our own, which forget what a torn connection left incomplete. Google's client
    for Python keeps it (`Watch.change_map` outlives the stream): a document that came with a torn
    snapshot and is gone before the next one stays in what it shows, with any server.
    """
    described = f"seed {seed}"
    print(described)
    relay = Relay(server.port, random_cuts(seed, 200, 12_000))
    database = Names("p").database
    writer = Writer(server, seed)
    listeners = [ResumingListener(relay.host, database, each) for each in contents(database)]
    try:
        deadline = time.monotonic() + 240
        while relay.cuts < cuts and time.monotonic() < deadline:
            writer.until_acknowledged(5)
        assert relay.cuts >= cuts, f"{relay.cuts} cuts"
        writer.stop()
        relay.cut_after = lambda: None
        # Those that will still be cut come back unharmed.
        relay.cut_all()
        direct = clients.connect(server, "p")
        settle_resumed(direct, database, listeners, described)
        writer.check()
        assert sum(each.resumed for each in listeners) > 0, "nobody resumed"
        assert sum(each.resets for each in listeners) == 0, "a token was of no use"
        direct.close()
    finally:
        writer.stop()
        for listener in listeners:
            listener.close()
        relay.close()


def test_listeners_survive_cut_connections(restartable):
    run_cuts(restartable, 30, SEED)


@pytest.mark.slow
def test_listeners_survive_many_cut_connections(restartable):
    run_cuts(restartable, 300, SEED + 1)


def test_googles_listeners_go_on_after_cut_connections(restartable):
    """Each of them hears of a change that is made after its connection was cut, again and again."""
    relay = Relay(restartable.port)
    client = clients.connect(Address(relay.host), "p")
    direct = clients.connect(restartable, "p")
    try:
        with watching(*sources(client)) as watchers:
            for watcher in watchers:
                watcher.next()
            for round in range(5):
                relay.cut_all()
                direct.document("c/d1").set({"n": -round, "even": True})
                for watcher in watchers:
                    watcher.until(lambda s, n=-round: s.data.get("d1", {}).get("n") == n)
                settle(direct, watchers, f"cut {round}")
            check_times(watchers, "cuts")
    finally:
        relay.close()
        client.close()
        direct.close()


def resident(server):
    """The server's memory in bytes, and its open descriptors and threads."""
    process = f"/proc/{server.process.pid}"
    with open(f"{process}/status", encoding="ascii") as file:
        fields = dict(line.split(":", 1) for line in file if ":" in line)
    return int(fields["VmRSS"].split()[0]) * 1024, len(os.listdir(f"{process}/fd")), int(fields["Threads"])


def needs_proc():
    return pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="reads /proc")


@needs_proc()
def test_a_consumer_that_stalls_holds_up_nobody_and_catches_up(restartable):
    """Megabytes for one who does not read: the server keeps little, others go on, and the client
    ends with what is stored."""
    names = Names("p")
    relay = Relay(restartable.port)
    calls = Calls(restartable.host)
    slow_channel = grpc.insecure_channel(relay.host, options=[("grpc.use_local_subchannel_pool", 1)])
    fast_channel = grpc.insecure_channel(restartable.host)
    slow, fast = ListenStream(slow_channel, names.database), ListenStream(fast_channel, names.database)
    try:
        for stream in (slow, fast):
            stream.add(2, stream.query("c"))
            stream.until_consistent(2)
        relay.stall()
        before, _, _ = resident(restartable)
        text = "x" * 100_000
        for number in range(1_000):
            fields = {"n": {"integer_value": number}, "text": {"string_value": text}}
            name = names(f"c/d{number % 20}")
            calls.Commit(database=names.database, writes=[{"update": {"name": name, "fields": fields}}])
        fast.until(lambda: any(d.fields["n"].integer_value == 999 for d in fast.targets[2].consistent.values()))
        grown = resident(restartable)[0] - before
        assert grown < 90_000_000, f"{grown} bytes more for a client that does not read"
        relay.resume()
        wanted = {name: d.update_time for name, d in fast.targets[2].consistent.items()}
        slow.until(lambda: {n: d.update_time for n, d in slow.targets[2].consistent.items()} == wanted, 60)
    finally:
        relay.resume()
        slow.cancel()
        fast.cancel()
        relay.close()
        for channel in (slow_channel, fast_channel):
            channel.close()
        calls.close()


@needs_proc()
def test_clients_that_vanish_leave_nothing_behind(restartable):
    names = Names("p")
    calls = Calls(restartable.host)
    calls.Commit(
        database=names.database,
        writes=[{"update": {"name": names("c/a"), "fields": {"n": {"integer_value": 1}}}}],
    )

    def come_and_go():
        relay = Relay(restartable.port)
        options = [("grpc.use_local_subchannel_pool", 1)]
        channels = [grpc.insecure_channel(relay.host, options=options) for _ in range(10)]
        streams = [ListenStream(channel, names.database) for channel in channels for _ in range(10)]
        for stream in streams:
            stream.add(2, stream.query("c"))
        for stream in streams:
            stream.until_consistent(2)
        relay.close()
        for stream in streams:
            stream.cancel()
        for channel in channels:
            channel.close()

    come_and_go()
    _, descriptors, threads = resident(restartable)
    for _ in range(3):
        come_and_go()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        _, now, threads_now = resident(restartable)
        if now <= descriptors and threads_now <= threads + 2:
            break
        threading.Event().wait(0.05)
    assert now <= descriptors and threads_now <= threads + 2, (now, descriptors, threads_now, threads)
    calls.close()
    assert restartable.stop() == 0


def check_idle_listeners(tmp_path, connections, each):
    names = Names("idle")
    query = {"parent": names.root, "structured_query": {"from_": [{"collection_id": "c"}]}}
    request = types.ListenRequest(
        {"database": names.database, "add_target": {"target_id": 2, "query": query}})
    # Each has its whole first snapshot: added, current, consistent.
    idle.check_idle_streams(
        tmp_path, "Listen", types.ListenRequest.serialize(request), answers=3,
        connections=connections, each=each, most_bytes=16_000)


@needs_proc()
def test_idle_listeners_take_little_and_give_it_back(tmp_path):
    check_idle_listeners(tmp_path, connections=10, each=50)


@needs_proc()
@pytest.mark.slow
def test_twenty_thousand_idle_listeners(tmp_path):
    check_idle_listeners(tmp_path, connections=200, each=100)


def test_a_server_that_stops_ends_its_streams(restartable):
    names = Names("p")
    channel = grpc.insecure_channel(restartable.host)
    streams = [ListenStream(channel, names.database) for _ in range(20)]
    for stream in streams:
        stream.add(2, stream.query("c"))
    for stream in streams:
        stream.until_consistent(2)
    begun = time.monotonic()
    assert restartable.stop() == 0
    assert time.monotonic() - begun < 20
    for stream in streams:
        code, _ = stream.until_ended()
        assert code in ("UNAVAILABLE", "CANCELLED", "INTERNAL", "OK"), code
    channel.close()


def test_garbage_between_good_streams(restartable):
    names = Names("p")
    channel = grpc.insecure_channel(restartable.host)
    chooser = random.Random(SEED)
    good = ListenStream(channel, names.database)
    good.add(2, good.query("c"))
    good.until_consistent(2)
    for _ in range(60):
        bad = ListenStream(channel, names.database)
        bad.send(chooser.randbytes(chooser.randrange(1, 200)))
        bad.half_close()
        bad.until_ended()
    client = clients.connect(restartable, "p")
    client.document("c/a").set({"at": firestore.SERVER_TIMESTAMP})
    good.until_held(2, ["a"])
    good.cancel()
    channel.close()
    client.close()
