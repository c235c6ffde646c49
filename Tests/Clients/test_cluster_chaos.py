"""Nodes of a cluster and their database that are killed, frozen or have wrong clocks, under load.

`BRASA_CHAOS_SECONDS` says for how long is killed, `BRASA_CHAOS_FREEZE` for how many seconds a node is frozen each time; an
hour and a minute by hand. `BRASA_TEST_SEED` chooses what is random.
"""

import base64
import concurrent.futures
import contextlib
import datetime
import itertools
import json
import os
import random
import signal
import threading
import time

import pytest

from google.api_core import exceptions
from google.cloud import firestore

from support import clients, cluster, listening, postgres, relay, rpc, server as servers, shim
from support.identity import Identity, Refused

pytestmark = [
    pytest.mark.slow,
    pytest.mark.brasa_only,
    pytest.mark.skipif(postgres.programs() is None, reason=postgres.MISSING),
]

SECONDS = float(os.environ.get("BRASA_CHAOS_SECONDS", "60"))
FREEZE_SECONDS = float(os.environ.get("BRASA_CHAOS_FREEZE", "10"))
AUTHORS = "abcdefgh"
# All is checked after so many seconds.
ROUND_SECONDS = 20
# How soon others write and lead where a node is killed or hangs.
PROMISED_SECONDS = 5
# The nodes' clocks, in seconds after the true time.
CLOCKS = -420, 0, 600
# Of a call that fails so nobody knows what came of it.
UNSURE = exceptions.ServiceUnavailable, exceptions.DeadlineExceeded, exceptions.RetryError
LONG_AGO = datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)


@pytest.fixture
def chooser():
    """What is random, by a seed that is printed."""
    seed = int(os.environ.get("BRASA_TEST_SEED", random.randrange(2**32)))
    print(f"seed {seed}")
    return random.Random(seed)


# Load, and what is known of it


class History:
    """What anybody was told so far of the documents `own/…`, which are overwritten: whoever asks later hears nothing older."""

    def __init__(self):
        self.lock = threading.Lock()
        self.time = LONG_AGO
        # When each document was written last, and when each write was made.
        self.newest, self.made = {}, {}
        self.looks = 0

    def saw(self, document, write, written, at):
        """Notes what a document was at a time; each write is made once."""
        with self.lock:
            made = self.made.setdefault(write, written)
            assert made == written, f"{write} was made twice, at {made} and {written}"
            self.newest[document] = max(self.newest.get(document, written), written)
            self.time = max(self.time, at)

    def look(self, client, document=None, **options):
        """Reads a document, or all of them by a query, on some node; gives whether that answered."""
        with self.lock:
            floor, newest = self.time, dict(self.newest)
        try:
            if document:
                found, newest = [client.document(document).get(**options)], {document: newest[document]}
            else:
                found = list(client.collection("own").stream(**options))
        except UNSURE:
            return False
        times = {each.reference.path: each.update_time for each in found}
        for name, written in newest.items():
            shown = times.get(name)
            assert shown and shown >= written, f"{name} of {shown} is read after that of {written}"
        for each in found:
            assert each.read_time >= floor, f"the read time {each.read_time} comes after {floor}"
            self.saw(each.reference.path, each.get("write"), each.update_time, each.read_time)
        with self.lock:
            self.looks += 1
        return True


class Load:
    """Writers that go on whatever fails, each by way of its doors, with a ledger.

    A commit creates a document, overwrites another and adds to two counters. What was acknowledged is read at once by
    way of another door. Authors who are not `excused` fail where a call does.
    """

    def __init__(self, history, name, doors, project, excused=(), **options):
        self.history, self.name, self.options = history, name, options
        self.clients = {
            author: [clients.connect(door, project) for door in doors] for author, doors in doors.items()
        }
        self.acknowledged = {author: [] for author in doors}
        self.unsure = {author: [] for author in doors}
        self.excused, self.failures = set(excused), []
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self._write, args=(author,)) for author in doors]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def _write(self, author):
        try:
            for number in itertools.count():
                if self.is_over.is_set():
                    return
                self._commit(author, number)
        except Exception as error:
            self.failures.append(f"{author}: {error!r}")

    def _commit(self, author, number):
        client, other = random.sample(self.clients[author] * 2, 2)
        write, document = f"{self.name}-{author}-{number}", f"own/{author}-{number % 3}"
        batch = client.batch()
        batch.create(client.document(f"ledger-{self.name}/{author}-{number}"), {})
        batch.set(client.document(document), {"write": write, "even": number % 2 == 0})
        for counter in (author, "all"):
            batch.set(client.document(f"counters-{self.name}/{counter}"), {"n": firestore.Increment(1)}, merge=True)
        # A call that begins while its node is away may end when that is back.
        floor, is_excused = self.history.time, author in self.excused
        try:
            batch.commit(**self.options)
        except UNSURE:
            if not is_excused and author not in self.excused:
                raise
            self.unsure[author].append(f"{author}-{number}")
            # Whoever is refused does not ask again at once.
            self.is_over.wait(0.05)
            return
        assert batch.commit_time > floor, f"{write} is of {batch.commit_time}, and {floor} was read before"
        self.history.saw(document, write, batch.commit_time, batch.commit_time)
        self.acknowledged[author].append(f"{author}-{number}")
        self.history.look(other, None if number % 8 == 0 else document, **self.options)

    def go_on(self, count=2, authors=None):
        """Waits for so many more commits of every author, and gives the seconds."""
        begun = time.monotonic()
        before = {author: len(self.acknowledged[author]) for author in authors or self.acknowledged}

        def have_gone_on():
            assert not self.failures, self.failures
            return all(len(self.acknowledged[author]) >= had + count for author, had in before.items())

        servers.wait_for(have_gone_on, f"commits of {', '.join(before)}", 120)
        return time.monotonic() - begun

    def check(self, nodes, project):
        """On every node: what was acknowledged is there, once, and nothing else that was not tried."""
        assert not self.failures, self.failures
        told, unsure = (set(itertools.chain(*each.values())) for each in (self.acknowledged, self.unsure))
        for node in nodes:
            client = clients.connect(node, project)
            stored = {each.id for each in client.collection(f"ledger-{self.name}").select([]).stream()}
            assert told <= stored, f"acknowledged and lost: {sorted(told - stored)[:10]}"
            assert stored <= told | unsure, f"never written: {sorted(stored - told - unsure)[:10]}"
            counts = {each.id: each.get("n") for each in client.collection(f"counters-{self.name}").stream()}
            assert counts.pop("all") == len(stored)
            for author, count in counts.items():
                assert count == sum(name.startswith(f"{author}-") for name in stored), author
            assert self.history.look(client)
        print(f"{len(told)} acknowledged, {len(unsure)} unsure, {len(stored) - len(told)} of them made")


class Listeners:
    """Listeners of a collection and of a query, at every door: what cuts them off leaves them their tokens.

    They are none of Google's client for Python: that one keeps half of what it was told when its connection ends, and shows it for ever
    if it is over when it comes again.
    """

    def __init__(self, doors, project, patience=60):
        names, even = rpc.Names(project), {"field": {"field_path": "even"}, "op": "EQUAL", "value": {"boolean_value": True}}
        collection = {"from_": [{"collection_id": "own"}]}
        queries = collection, {**collection, "where": {"field_filter": even}}
        self.client = clients.connect(doors[0], project)
        self.each = [
            listening.ResumingListener(door.host, names.database, {"query": {"parent": names.root, "structured_query": query}}, patience)
            for door in doors for query in queries
        ]

    def settle(self):
        """Each ends with exactly what its query gives."""
        stored = {each.id: each for each in self.client.collection("own").stream()}
        made = {name: each.get("write") for name, each in stored.items()}
        even = {name: write for name, write in made.items() if stored[name].get("even")}
        for listener, expected in zip(self.each, itertools.cycle([made, even])):
            listener.until(lambda held, expected=expected: expected == {
                name.split("/")[-1]: rpc.fields_of(document)["write"] for name, document in held.items()
            })

    def close(self):
        for listener in self.each:
            listener.close()
        print(f"{len(self.each)} listeners with {sum(listener.connections for listener in self.each)} connections")


def verify(made):
    done = servers.run("verify", "--data", made.data, environment=made.environment, timeout=600)
    assert "no differences" in done.stdout, done.stdout


# Nodes and databases that are killed


class Breakable:
    """A cluster with a door before each node, which stays where it is when the node comes back, and one before the database."""

    def __init__(self, directory, chooser):
        self.chooser = chooser
        database = postgres.Postgres()
        self.between = relay.Relay(f"{database.directory}/.s.PGSQL.5432")
        location = {"BRASA_STORE": f"postgres://brasa@{self.between.host}/postgres"}
        self.made = cluster.Cluster(directory, count=3, database=database, environment=location).start()
        self.doors = [relay.Relay(node.port) for node in self.made.nodes]

    def strike(self):
        """Breaks one thing or several at random moments, and mends them; gives what."""
        nodes, database = self.made.nodes, self.made.database
        victims = self.chooser.sample(nodes, self.chooser.choice([0, 1, 1, 1, 2, 3]))
        others = {
            "database stopped": lambda: database.tell("stop"), "database killed": database.kill,
            "connections cut": self.between.cut_all,
        }
        blows = [(f"node {nodes.index(node)} killed", node.kill) for node in victims]
        if not victims or self.chooser.random() < 0.5:
            blows.append(self.chooser.choice(list(others.items())))
        self.chooser.shuffle(blows)
        for _, blow in blows:
            blow()
            self.rest(0.3)
        if any(what.startswith("database") for what, _ in blows):
            servers.wait_for(lambda: not database.is_running, "the database's end")
            database.tell("start")
        for node in victims:
            self.revive(node)
        return ", ".join(what for what, _ in blows)

    def revive(self, node):
        """Starts a node, which is killed once more while it starts, now and then."""
        if self.chooser.random() < 0.2:
            node.begin()
            self.rest(0.5)
            node.kill()
        node.start()
        # The output of so many starts is of no use.
        del node.lines[:-200]
        self.made.proxy.ports = [each.port for each in self.made.nodes]
        self.doors[self.made.nodes.index(node)].target = node.port

    def rest(self, most):
        """When something happens is the random part of the experiment."""
        threading.Event().wait(self.chooser.uniform(0, most))

    def close(self):
        self.made.close()
        for door in [*self.doors, self.between]:
            door.close()


@pytest.fixture
def breakable(tmp_path, chooser):
    made = Breakable(tmp_path, chooser)
    yield made
    made.close()


def test_nodes_and_the_database_are_killed_and_nothing_is_lost_or_told_too_late(breakable, chooser, project):
    made, history = breakable.made, History()
    doors = [*breakable.doors, made.proxy]
    listeners = Listeners(doors, project)
    end = time.monotonic() + SECONDS
    for number in itertools.count():
        if time.monotonic() > end:
            break
        until = min(end, time.monotonic() + ROUND_SECONDS)
        with Load(history, number, dict.fromkeys(AUTHORS, doors), project, excused=AUTHORS, retry=None, timeout=60) as load:
            load.go_on()
            while time.monotonic() < until:
                print(f"{breakable.strike()}: all went on after {load.go_on():.1f} s")
                breakable.rest(1)
        load.check(made.nodes, project)
        listeners.settle()
        verify(made)
    print(f"{history.looks} reads")
    listeners.close()
    assert made.stop() == 0


# Nodes that are frozen


@pytest.fixture
def freezable(tmp_path):
    """A cluster of nodes whose connections the database knows by the nodes' numbers."""
    made = cluster.Cluster(tmp_path, count=3)
    for number, node in enumerate(made.nodes):
        node.environment["BRASA_STORE"] += f"&application_name=node-{number}"
    yield made.start()
    made.close()


def freeze(made, node, chooser):
    """Freezes a node in the middle of a group, while it keeps the others from writing."""
    held = f"""SELECT count(*) FROM pg_stat_activity WHERE application_name = 'node-{made.nodes.index(node)}'
               AND state = 'idle in transaction' AND backend_xid IS NOT NULL"""

    def is_caught():
        threading.Event().wait(chooser.uniform(0, 0.1))
        node.process.send_signal(signal.SIGSTOP)
        if int(made.database.ask(held)):
            return True
        node.process.send_signal(signal.SIGCONT)
        return False

    servers.wait_for(is_caught, "a group to freeze")


def test_a_node_that_is_frozen_in_a_group_holds_nobody_up_and_tells_nothing_old_later(freezable, chooser, project):
    made, history = freezable, History()
    doors = {f"{number}{author}": [node] for number, node in enumerate(made.nodes) for author in "ab"}
    listeners = Listeners(made.nodes, project, FREEZE_SECONDS + 60)
    pool = concurrent.futures.ThreadPoolExecutor(32)
    with Load(history, 0, doors, project, timeout=FREEZE_SECONDS + 60) as load:
        for victim in chooser.sample(made.nodes, 3):
            load.go_on()
            hung = [author for author in doors if doors[author] == [victim]]
            others = [author for author in doors if author not in hung]
            load.excused = set(hung)
            client, late = clients.connect(victim, project), []
            freeze(made, victim, chooser)
            is_thawing = threading.Timer(FREEZE_SECONDS, victim.process.send_signal, [signal.SIGCONT])
            is_thawing.start()
            try:
                seconds = load.go_on(authors=others)
                # Whoever asks the frozen node is answered when it goes on.
                late = [pool.submit(history.look, client, document) for document in [None, *history.newest]]
            finally:
                is_thawing.join()
            assert all(each.result() for each in late)
            print(f"others went on after {seconds:.1f} s, {len(late)} late reads; all again {load.go_on():.1f} s later")
            assert seconds < PROMISED_SECONDS
    load.check(made.nodes, project)
    listeners.settle()
    listeners.close()
    verify(made)
    assert made.stop() == 0


def test_a_group_that_the_database_has_ended_keeps_its_node_from_nothing_that_others_wrote(freezable, project):
    made = freezable
    ended = """SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'node-0'
               AND state = 'idle in transaction' AND backend_xid IS NOT NULL"""
    is_over = threading.Event()

    def write_much():
        # Groups that are at work for long before they ask the database again.
        client = clients.connect(made.nodes[0], project)
        while not is_over.is_set():
            batch = client.batch()
            for document in range(200):
                batch.create(client.collection("large").document(), {f"f{field}": document for field in range(30)})
            with contextlib.suppress(*UNSURE):
                batch.commit(retry=None, timeout=60)

    reader, writer = (clients.connect(node, project) for node in made.nodes[:2])
    writer.document("own/1").set({"n": 0})
    busy = threading.Thread(target=write_much)
    busy.start()
    try:
        for number in range(1, 21):
            assert reader.document("own/1").get().get("n") == number - 1
            servers.wait_for(lambda: int(made.database.ask(ended)), "a group to end")
            writer.document("own/1").set({"n": number})
            assert reader.document("own/1").get().get("n") == number
    finally:
        is_over.set()
        busy.join()


# Clocks that are wrong


@pytest.fixture(scope="module")
def apart(tmp_path_factory):
    """A cluster of nodes whose clocks are minutes apart."""
    directory = tmp_path_factory.mktemp("apart")
    library = shim.compile(servers.CHECKOUT / "Tests" / "Faults" / "clock.c", directory / "clock.so")
    made = cluster.Cluster(directory, count=len(CLOCKS))
    for node, ahead in zip(made.nodes, CLOCKS):
        node.environment.update(LD_PRELOAD=str(library), BRASA_FAULT_CLOCK_AHEAD=str(ahead))
    yield made.start()
    made.close()


def is_about_now(moment):
    return abs(moment - datetime.datetime.now(datetime.timezone.utc)) < datetime.timedelta(minutes=2)


def test_commits_of_nodes_with_wrong_clocks_have_the_database_s_times_and_are_in_order(apart, project):
    each = [clients.connect(node, project) for node in apart.nodes]
    times = []
    for number in range(60):
        writer, reader = each[number % 3], each[(number + 1 + number // 3 % 2) % 3]
        written = writer.document("shops/1").set({"number": number, "at": firestore.SERVER_TIMESTAMP})
        found = reader.document("shops/1").get()
        assert found.get("at") <= found.update_time == written.update_time <= found.read_time
        assert is_about_now(found.get("at")) and is_about_now(found.read_time)
        times += [written.update_time, found.read_time]
    assert times == sorted(times) and len(set(times[::2])) == 60
    for number in range(0, 60, 7):
        past = each[number % 3].document("shops/1").get(read_time=times[2 * number])
        assert past.get("number") == number


def test_load_on_nodes_with_wrong_clocks_is_in_order_and_listeners_hear_of_it(apart, project):
    history = History()
    listeners = Listeners(apart.nodes, project)
    with Load(history, 0, dict.fromkeys(AUTHORS, apart.nodes), project) as load:
        load.go_on(20)
    load.check(apart.nodes, project)
    listeners.settle()
    listeners.close()
    verify(apart)


def test_listeners_tokens_are_taken_by_nodes_with_other_clocks(apart, project):
    names = rpc.Names(project)
    each = [clients.connect(node, project) for node in apart.nodes]
    each[0].document("own/still").set({"n": 0})
    known, token = {}, {}
    for number, node in enumerate([*apart.nodes, *reversed(apart.nodes)]):
        each[number % 3].document("own/moved").set({"n": number})
        calls = rpc.Calls(node.host)
        stream = listening.ListenStream(calls.channel, names.database)
        target = stream.add(1, stream.query("own"), held=known, **token)
        stream.until_consistent(1)
        assert target.resets == 0 and target.documents_sent == (1 if token else 2)
        assert {rpc.fields_of(document)["n"] for document in target.consistent.values()} == {0, number}
        known, token = dict(target.consistent), {"resume_token": target.token}
        stream.cancel()
        calls.close()


def test_who_signed_in_on_a_node_with_a_wrong_clock_is_known_on_all(apart, project):
    each = [Identity(node, project) for node in apart.nodes]
    accounts = [node.client("signUp") for node in each]
    claims = [account["idToken"].split(".")[1] + "==" for account in accounts]
    issued = [json.loads(base64.urlsafe_b64decode(claim))["iat"] for claim in claims]
    # They have the database's time.
    assert issued == pytest.approx([time.time()] * len(CLOCKS), abs=120)
    refused = []
    for (account, signing), (node, reading) in itertools.product(zip(accounts, CLOCKS), zip(each, CLOCKS)):
        try:
            (found,) = node.client("lookup", idToken=account["idToken"])["users"]
            assert found["localId"] == account["localId"]
        except Refused as refusal:
            refused.append(f"{refusal.code} of {signing} s at {reading} s")
    assert not refused


@pytest.mark.parametrize("ends", ["stop", "kill", "freeze"])
def test_nodes_with_wrong_clocks_lead_one_after_the_other(apart, ends):
    for _ in apart.nodes:
        led = servers.wait_for(apart.leader, "a leader")
        if ends == "freeze":
            led.process.send_signal(signal.SIGSTOP)
        else:
            getattr(led, ends)()
        begun = time.monotonic()
        try:
            leads = servers.wait_for(lambda: (now := apart.leader()) is not led and now, "another leader")
            print(f"another node led after {time.monotonic() - begun:.1f} s")
        finally:
            if ends == "freeze":
                led.process.send_signal(signal.SIGCONT)
            else:
                led.start()
                apart.proxy.ports = [node.port for node in apart.nodes]
        assert apart.leader() is leads
