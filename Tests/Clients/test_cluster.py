"""A store in PostgreSQL: who may have it open, and what faults of the server leave of it."""

import itertools
import threading

import pytest

from google.api_core import exceptions

from support import clients, postgres, server as servers

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(postgres.programs() is None, reason=postgres.MISSING),
]


@pytest.fixture(scope="module")
def database():
    made = postgres.Postgres()
    yield made
    made.close()


@pytest.fixture
def location(database):
    """The environment of programs whose store is in PostgreSQL."""
    return {"BRASA_STORE": database.address}


@pytest.fixture
def node(location, tmp_path):
    """A development server whose store is in PostgreSQL."""
    running = servers.Brasa(tmp_path / "data", environment=location).start()
    yield running
    running.kill()


def refusal(*arguments, environment=None):
    """What a command says that is refused."""
    done = servers.run(*arguments, environment=environment, check=False)
    assert done.returncode != 0, done.stdout
    return done.stdout + done.stderr


def test_a_second_node_is_refused(node, location, tmp_path):
    said = refusal("serve", "--dev", "--port", "0", "--data", tmp_path / "other", environment=location)
    assert "Another node has the store" in said


def test_a_directory_says_where_its_store_is(node, location, tmp_path):
    node.stop()
    assert "Name it with --store" in refusal("verify", "--data", node.data)
    own = servers.Brasa(tmp_path / "own").start()
    own.stop()
    assert "contains its own store" in refusal("verify", "--data", own.data, environment=location)


def test_other_addresses_are_refused(tmp_path):
    said = refusal("serve", "--data", tmp_path, "--store", "mysql://user:secret@host/database")
    assert "postgres://" in said and "secret" not in said


def test_a_store_is_verified_beside_its_server_and_at_rest(node, location, project):
    client = clients.connect(node, project)
    for number in range(20):
        client.document(f"shops/{number}").set({"number": number, "tags": ["a", str(number)]})
    for _ in range(2):
        assert "no differences" in servers.run("verify", "--data", node.data, environment=location).stdout
        node.stop()


def load(node, project, acknowledged, is_over, author):
    """Creates documents one after the other, and notes those that were acknowledged."""
    client = clients.connect(node, project)
    for number in itertools.count():
        if is_over.is_set():
            return
        try:
            client.document(f"ledger/{author}-{number}").create({"number": number}, retry=None, timeout=30)
        except exceptions.GoogleAPICallError:
            continue
        acknowledged.append(f"{author}-{number}")


def under_load(node, project, faults, count=30):
    """What four clients were told is there, when after some commits each of the faults has happened."""
    acknowledged, is_over = [], threading.Event()
    threads = [threading.Thread(target=load, args=(node, project, acknowledged, is_over, author)) for author in range(4)]
    for thread in threads:
        thread.start()
    try:
        for fault in faults:
            wanted = len(acknowledged) + count
            servers.wait_for(lambda: len(acknowledged) >= wanted, "commits")
            fault()
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    return set(acknowledged)


def stored(node, project):
    return {document.id for document in clients.connect(node, project).collection("ledger").stream()}


def test_a_database_server_that_crashes_under_load_loses_nothing(node, database, location, project):
    def crash():
        database.tell("restart")

    told = under_load(node, project, [crash, crash, lambda: None])
    assert told <= stored(node, project)
    assert "no differences" in servers.run("verify", "--data", node.data, environment=location).stdout


def test_a_node_that_is_killed_under_load_loses_nothing(node, location, project):
    told = under_load(node, project, [node.kill])
    node.start()
    assert told <= stored(node, project)
    assert "no differences" in servers.run("verify", "--data", node.data, environment=location).stdout


def test_a_node_stops_while_the_database_server_is_away(node, database, project):
    clients.connect(node, project).document("shops/1").set({"open": True})
    database.tell("stop")
    assert node.stop() == 0, node.output[-3000:]
    database.tell("start")
    node.start()
    assert clients.connect(node, project).document("shops/1").get().to_dict() == {"open": True}


def test_a_store_moves_there_and_back(tmp_path, project):
    database = postgres.Postgres()
    location = {"BRASA_STORE": database.address}
    node = servers.Brasa(tmp_path / "data").start()
    document = clients.connect(node, project).document("shops/1")
    document.set({"open": True, "visits": 1})
    assert "Another server is using" in refusal("move", "--data", node.data, "--to", database.address)
    node.stop()
    assert "moved" in servers.run("move", "--data", node.data, "--to", database.address).stdout
    assert "Name it with --store" in refusal("verify", "--data", node.data)

    there = servers.Brasa(tmp_path / "data", environment=location).start()
    document = clients.connect(there, project).document("shops/1")
    first = document.get()
    assert first.to_dict() == {"open": True, "visits": 1}
    assert document.update({"visits": 2}).update_time > first.update_time
    assert "no differences" in servers.run("verify", "--data", node.data, environment=location).stdout
    there.stop()

    assert "moved" in servers.run("move", "--data", node.data, "--to", "directory", environment=location).stdout
    back = servers.Brasa(tmp_path / "data").start()
    assert clients.connect(back, project).document("shops/1").get().to_dict() == {"open": True, "visits": 2}
    assert "no differences" in servers.run("verify", "--data", node.data).stdout
    back.stop()
    database.close()
