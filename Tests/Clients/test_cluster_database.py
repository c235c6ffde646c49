"""What a cluster makes of its database's faults: a disk that fills up, a primary that dies, connections that are cut."""

import concurrent.futures
import contextlib
import itertools
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading
import time

import pytest
import requests

from google.api_core import exceptions, retry
from google.cloud import firestore

from support import clients, cluster, postgres, relay, rpc, server as servers

pytestmark = [
    pytest.mark.slow,
    pytest.mark.brasa_only,
    pytest.mark.skipif(postgres.programs() is None, reason=postgres.MISSING),
]

# How soon commits are acknowledged again once the database takes writes.
PROMISED_SECONDS = 2
CUTS = 600
WRITERS = 2


class Load:
    """Writers on all nodes that go on whatever fails, with a ledger. Each write is a document and a count of its author's documents.

    The nodes live throughout. So what one refuses as UNAVAILABLE is not there, and only what it does not answer may be.
    """

    def __init__(self, made, project, size=0):
        self.made, self.project, self.size = made, project, size
        # The time at which each document of an author was acknowledged.
        self.acknowledged = {f"{node}{author}": {} for node in range(len(made.nodes)) for author in range(WRITERS)}
        self.refused, self.unsure, self.failures = [], [], []
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self._write, args=(author,)) for author in self.acknowledged]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def _write(self, author):
        client = clients.connect(self.made.nodes[int(author[0])], self.project)
        for number in itertools.count():
            if self.is_over.is_set():
                return
            name = f"{author}-{number}"
            batch = client.batch()
            batch.create(client.document(f"ledger/{name}"), {"bytes": os.urandom(self.size)})
            batch.set(client.document(f"counters/{author}"), {"count": firestore.Increment(1)}, merge=True)
            try:
                batch.commit(retry=None, timeout=120)
                self.acknowledged[author][name] = time.monotonic()
            except exceptions.ServiceUnavailable:
                self.refused.append(name)
                # Whoever is refused does not ask again at once.
                self.is_over.wait(0.05)
            except exceptions.DeadlineExceeded:
                self.unsure.append(name)
            except Exception as error:
                self.failures.append(f"{name}: {error!r}")
                return

    def told(self):
        """The documents that were acknowledged."""
        return {name for names in list(self.acknowledged.values()) for name in list(names)}

    def go_on(self, count=10):
        """Waits for so many more commits of every writer, and gives the seconds until all nodes had acknowledged one."""
        begun = time.monotonic()

        def times(author):
            return [at for at in list(self.acknowledged[author].values()) if at > begun]

        def have_gone_on():
            assert not self.failures, self.failures
            return all(len(times(author)) >= count for author in self.acknowledged)

        servers.wait_for(have_gone_on, "commits on all nodes", 120)
        firsts = {}
        for author in self.acknowledged:
            firsts.setdefault(author[0], []).append(min(times(author)))
        return max(min(each) for each in firsts.values()) - begun

    def check(self):
        """On every node: what was acknowledged is there, once, and what was refused is not; the store is sound."""
        assert not self.failures, self.failures
        told = self.told()
        for node in self.made.nodes:
            client = clients.connect(node, self.project)
            stored = ids(client.collection("ledger"))
            assert told <= stored, f"acknowledged and lost: {sorted(told - stored)[:10]}"
            assert stored <= told.union(self.unsure), f"refused and there: {sorted(stored - told)[:10]}"
            counts = {found.id: found.get("count") for found in client.collection("counters").stream()}
            for author in self.acknowledged:
                assert counts[author] == sum(name.startswith(f"{author}-") for name in stored), author
        done = servers.run("verify", "--data", self.made.data, environment=self.made.environment)
        assert "no differences" in done.stdout
        print(f"{len(told)} acknowledged, {len(self.refused)} refused, {len(self.unsure)} without an answer")


def ids(collection, **options):
    return {found.id for found in collection.select([]).stream(**options)}


class Listener:
    """What a listener at the proxy is told of the ledger."""

    def __init__(self, made, project):
        self.names, self.times = set(), []
        self.watch = clients.connect(made, project).collection("ledger").on_snapshot(self._note)

    def _note(self, documents, changes, read_time):
        self.names = {document.id for document in documents}
        self.times.append(read_time)

    def check(self, load):
        """It hears of everything in the end, and its time has never gone back."""
        told = load.told()
        servers.wait_for(lambda: told <= self.names <= told.union(load.unsure), "what was written")
        assert self.times == sorted(self.times)
        self.watch.unsubscribe()


# A disk that fills up


class Disk:
    """A small disk of its own for one part of a database server: its data, or its log."""

    def __init__(self, part):
        self.part = part
        self.folder = None

    def mount(self, directory):
        folder = pathlib.Path(directory, self.part)
        folder.mkdir()
        owner = "postgres" if os.getuid() == 0 else os.getuid()
        options = f"size=120m,mode=0700,uid={owner}"
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True)
        if sys.platform != "linux" or done.returncode:
            shutil.rmtree(directory)
            pytest.skip("a file system cannot be mounted here")
        self.folder = folder

    def grow(self):
        subprocess.run(["mount", "-o", "remount,size=1g", self.folder], check=True)

    def unmount(self):
        if self.folder:
            subprocess.run(["umount", "-l", self.folder], check=True)
            shutil.rmtree(self.folder.parent, ignore_errors=True)


@pytest.fixture(params=["data", "wal"])
def disk(request):
    made = Disk(request.param)
    yield made
    made.unmount()


def test_a_database_whose_disk_fills_up_refuses_writes_and_loses_nothing(disk, tmp_path, project):
    database = postgres.Postgres(prepare=disk.mount)
    made = cluster.Cluster(tmp_path, database=database).start()
    try:
        with Load(made, project, size=50_000) as load:
            load.go_on()
            servers.wait_for(lambda: len(load.refused) > 20 or not database.is_running, "a full disk", 300)
            if disk.part == "data":
                # Whoever reads does not mind.
                for node in made.nodes:
                    ledger = clients.connect(node, project).collection("ledger")
                    assert ledger.document("00-0").get(retry=None).exists
                    assert len(ledger.limit(5).get(retry=None)) == 5
            disk.grow()
            # A server whose log has no room ends, unless it finds some when it starts again.
            if not database.is_running:
                database.tell("start")
            print(f"acknowledged again after {load.go_on():.2f} s, {len(load.refused)} refused")
        load.check()
        assert made.stop() == 0
    finally:
        made.close()


# A primary that dies


@pytest.fixture
def pair(tmp_path):
    """A cluster on a primary with a synchronous standby."""
    primary = postgres.Postgres(settings="-c synchronous_standby_names=standby")
    standby = postgres.Postgres(primary=primary)
    state = "SELECT sync_state FROM pg_stat_replication"
    servers.wait_for(lambda: primary.ask(state) == "sync", "a synchronous standby")
    hosts = f"{primary.directory},{standby.directory}"
    store = f"postgres:///postgres?user=brasa&host={hosts}&target_session_attrs=read-write"
    made = cluster.Cluster(tmp_path, database=primary, environment={"BRASA_STORE": store}).start()
    made.standby = standby
    yield made
    made.close()
    standby.close()


def test_a_synchronous_standby_takes_over_and_nothing_is_lost(pair, project):
    listener = Listener(pair, project)
    with Load(pair, project) as load:
        load.go_on(50)
        pair.database.kill()
        pair.standby.tell("promote")
        seconds = load.go_on(50)
    print(f"acknowledged again {seconds:.2f} s after the promotion")
    assert seconds < PROMISED_SECONDS
    load.check()
    listener.check(load)
    assert pair.stop() == 0


def test_an_old_primary_that_is_not_fenced_shows_nothing_old(pair, project):
    with Load(pair, project) as load:
        load.go_on()
        pair.database.kill()
        pair.standby.tell("promote")
        load.go_on(50)
    connected = [clients.connect(node, project) for node in pair.nodes]
    told = load.told()
    moved_on = time.monotonic() + 1.5
    servers.wait_for(lambda: time.monotonic() > moved_on, "a second without commits")
    # Time rests now, and is moved on by connections to the new primary.
    for client in connected:
        assert told <= ids(client.collection("ledger"))
    # From now on the first host of the address takes writes again, and nodes open further connections.
    pair.database.tell("start")

    def read(client):
        with contextlib.suppress(exceptions.GoogleAPICallError):
            for _ in range(3):
                shown.append(told - ids(client.collection("ledger"), retry=retry.Retry(lambda error: False), timeout=10))

    shown = []
    threads = [threading.Thread(target=read, args=(client,)) for client in connected for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pair.database.kill()
    load.check()
    # Which of them reached the new one is not said.
    assert not any(shown), f"{sum(map(bool, shown))} of {len(shown)} queries showed an old state"


# Commits that are refused while the database is away


@contextlib.contextmanager
def held_timeline(database):
    """Somebody holds the row that every group locks, until the server ends."""
    query = "BEGIN; SELECT FROM brasa.timeline FOR UPDATE; SELECT pg_sleep(600)"
    pool = concurrent.futures.ThreadPoolExecutor()
    pool.submit(database.ask, query)
    sleeping = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    servers.wait_for(lambda: database.ask(sleeping) == "1", "the row's holder")
    yield
    pool.shutdown()


def test_a_commit_that_was_refused_for_want_of_a_database_may_be_repeated(tmp_path, project):
    made = cluster.Cluster(tmp_path, count=1).start()
    try:
        calls, names = rpc.Calls(made.host), rpc.Names(project)
        transaction = calls.BeginTransaction({"database": names.database}).transaction
        write = {"update": {"name": f"{names.root}/shops/1", "fields": {"open": {"boolean_value": True}}}}
        commit = {"database": names.database, "transaction": transaction, "writes": [write]}
        # The group is under way, and waits, when the database ends.
        with held_timeline(made.database), concurrent.futures.ThreadPoolExecutor() as pool:
            refused = pool.submit(calls.Commit, commit)
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            servers.wait_for(lambda: made.database.ask(waiting) != "0", "a group that waits")
            made.database.tell("stop")
        assert refused.exception().code.name == "UNAVAILABLE"
        made.database.tell("start")
        # Google's clients repeat it by themselves; of those who hear ABORTED they begin the transaction again.
        try:
            calls.Commit(commit)
        except rpc.Failure as again:
            assert again.code.name == "ABORTED", again
        calls.close()
    finally:
        made.close()


# Connections that are cut


def lost_answers(node):
    """How many COMMITs of a node were not answered."""
    text = requests.get(f"{node.url}/metrics", headers=dict(rpc.OWNER), timeout=30).text
    return float(re.search(r"^\w*kv_lost_answers_total (\S+)$", text, re.MULTILINE)[1])


def test_connections_to_the_database_that_are_cut_anywhere_lose_nothing(tmp_path, project):
    seed = int(os.environ.get("BRASA_TEST_SEED", random.randrange(2**32)))
    print(f"seed {seed}")
    chooser, is_cutting = relay.random_cuts(seed, 0, 20_000), threading.Event()

    def cut():
        return chooser() if is_cutting.is_set() else None

    database = postgres.Postgres()
    between = relay.Relay(f"{database.directory}/.s.PGSQL.5432", cut_after=cut, cut_sent_after=cut)
    location = {"BRASA_STORE": f"postgres://brasa@{between.host}/postgres"}
    made = cluster.Cluster(tmp_path, database=database, environment=location).start()
    try:
        listener = Listener(made, project)
        with Load(made, project) as load:
            load.go_on()
            is_cutting.set()
            between.cut_all()
            servers.wait_for(lambda: load.failures or between.cuts >= CUTS, f"{CUTS} cuts", 600)
            lost = servers.wait_for(lambda: sum(map(lost_answers, made.nodes)), "a COMMIT without an answer", 600)
            is_cutting.clear()
            between.cut_all()
            load.go_on()
        print(f"{between.cuts} cuts, {lost:.0f} COMMITs without an answer")
        load.check()
        listener.check(load)
        assert made.stop() == 0
    finally:
        made.close()
        between.close()
