"""A system clock that is set while the server runs: held back in production, followed in development."""

import itertools
import pathlib
import re
import struct

import pytest
import requests

from support import postgres, server as servers, shim

pytestmark = pytest.mark.brasa_only

YEAR = 365 * 86_400
PROJECT = "clock"
NUMBERS = itertools.count()


class SettableClock:
    """A clock under a program, set by the test."""

    def __init__(self, directory):
        self.path = directory / "offset"
        self.path.write_bytes(struct.pack("=q", 0))
        library = shim.compile(servers.CHECKOUT / "Tests" / "Faults" / "clock.c", directory / "clock.so")
        self.environment = {"LD_PRELOAD": str(library), "BRASA_FAULT_CLOCK": str(self.path)}

    def set_ahead(self, seconds):
        with self.path.open("r+b") as file:
            file.write(struct.pack("=q", seconds))


@pytest.fixture
def clock(tmp_path):
    return SettableClock(tmp_path)


def serve(tmp_path, clock, *arguments):
    return servers.Brasa(tmp_path / "data", *arguments, development=False, environment=clock.environment)


def year_of_a_write(server, key=None):
    url = f"{server.url}/v1/projects/{PROJECT}/databases/(default)/documents/c/d"
    headers = {"Authorization": f"Bearer {key or server.administrator_key}"}
    # A write that changes nothing would keep the time of the one before.
    fields = {"number": {"integerValue": str(next(NUMBERS))}}
    written = requests.patch(url, json={"fields": fields}, headers=headers, timeout=30)
    assert written.status_code == 200, written.text
    return int(written.json()["updateTime"][:4])


def health(server):
    return requests.get(f"{server.url}/healthz", timeout=30)


def step(server, metric="brasa_clock_step_seconds"):
    page = requests.get(f"{server.url}/metrics", timeout=30).text
    return float(re.search(rf"^{metric} (\S+)$", page, re.MULTILINE).group(1))


def database_step_becomes(server, seconds):
    """Whether the server notices that step: each write reads the database's clock, the first perhaps as it was before."""
    for _ in range(20):
        if step(server, DATABASE_STEP) == pytest.approx(seconds, abs=10):
            return True
        year_of_a_write(server)
    return False


def test_a_step_is_held_back_until_it_is_accepted(tmp_path, clock):
    server = serve(tmp_path, clock).start()
    year = year_of_a_write(server)
    clock.set_ahead(10 * YEAR)
    assert year_of_a_write(server) in (year, year + 1)
    assert step(server) == pytest.approx(10 * YEAR, abs=10)
    server.wait_for_output("the clock jumped and is ignored")
    assert health(server).status_code == 200
    assert "brasa clock accept" in health(server).text
    assert re.search(r"3153(59999|60000) s ahead", servers.run("clock", "--data", server.data).stdout)

    # A restart under the same boot holds it back, too.
    server.stop()
    server.start()
    assert re.search(r"3153(59999|60000) s ahead", servers.run("clock", "--data", server.data).stdout)

    accepted = servers.run("clock", "accept", "--data", server.data).stdout
    assert f"{year + 10}-" in accepted or f"{year + 9}-" in accepted
    assert step(server) == 0
    server.wait_for_output("the clock is used again")
    assert health(server).text == "ok\n"
    server.stop()


def test_a_clock_that_is_set_back_right_leaves_nothing_behind(tmp_path, clock):
    server = serve(tmp_path, clock).start()
    clock.set_ahead(-3_600)
    assert step(server) == pytest.approx(-3_600, abs=10)
    server.wait_for_output("the clock jumped and is ignored")
    clock.set_ahead(0)
    assert step(server) == 0
    server.wait_for_output("the clock is used again")
    server.stop()


def test_a_start_long_after_the_last_write_asks_for_a_confirmation(tmp_path, clock):
    server = serve(tmp_path, clock).start()
    year_of_a_write(server)
    server.stop()
    (server.data / "clock").unlink()
    clock.set_ahead(YEAR)
    refused = servers.run(
        "serve", "--port", "0", "--data", server.data, environment=clock.environment, check=False
    )
    assert refused.returncode == 1
    assert refused.stderr.startswith("Error: The machine's clock says ")
    assert "start the server once with --accept-clock" in refused.stderr
    confirmed = serve(tmp_path, clock, "--accept-clock").start()
    assert step(confirmed) == 0
    confirmed.stop()
    serve(tmp_path, clock).start().stop()


def test_development_follows_every_step(tmp_path, clock):
    server = servers.Brasa(tmp_path / "data", environment=clock.environment).start()
    clock.set_ahead(YEAR)
    assert step(server) == 0
    assert "No production server" in servers.run(
        "clock", "accept", "--data", server.data, check=False
    ).stderr
    server.stop()


DATABASE_STEP = "brasa_database_clock_step_seconds"
NEEDS_POSTGRES = pytest.mark.skipif(postgres.programs() is None, reason=postgres.MISSING)


@pytest.fixture
def database():
    """PostgreSQL whose clock the test sets."""
    made = []

    def prepare(directory):
        directory = pathlib.Path(directory)
        made.append(SettableClock(directory))
        return made[0].environment

    running = postgres.Postgres(prepare=prepare)
    running.clock = made[0]
    yield running
    running.close()


def serve_from(database, data, *arguments):
    store = {"BRASA_STORE": database.address}
    return servers.Brasa(data, *arguments, development=False, environment=store)


def clock_command(server, database, *arguments):
    store = {"BRASA_STORE": database.address}
    return servers.run("clock", *arguments, "--data", server.data, environment=store).stdout


@NEEDS_POSTGRES
def test_a_step_of_the_databases_clock_is_held_back_until_it_is_accepted(tmp_path, database):
    server = serve_from(database, tmp_path / "data").start()
    year = year_of_a_write(server)
    database.clock.set_ahead(10 * YEAR)
    assert year_of_a_write(server) in (year, year + 1)
    assert step(server) == 0
    assert database_step_becomes(server, 10 * YEAR)
    server.wait_for_output("the database clock jumped and is ignored")
    assert health(server).status_code == 200
    assert "the database server's clock jumped 3153" in health(server).text
    assert "run brasa clock accept" in clock_command(server, database)
    server.stop()

    # A process that knows nothing of the time before holds it back, too.
    server = serve_from(database, tmp_path / "other").start()
    assert year_of_a_write(server) in (year, year + 1)
    assert database_step_becomes(server, 10 * YEAR)
    assert "is not followed" not in clock_command(server, database, "accept")
    assert year_of_a_write(server) in (year + 10, year + 9)
    assert database_step_becomes(server, 0)
    server.stop()


@NEEDS_POSTGRES
def test_a_step_of_the_databases_clock_between_two_runs_is_held_back(tmp_path, database):
    server = serve_from(database, tmp_path / "data").start()
    year = year_of_a_write(server)
    server.stop()
    database.clock.set_ahead(-10 * YEAR)
    server.start()
    assert year_of_a_write(server) in (year, year + 1)
    assert database_step_becomes(server, -10 * YEAR)
    database.clock.set_ahead(0)
    assert year_of_a_write(server) in (year, year + 1)
    assert database_step_becomes(server, 0)
    server.stop()


@NEEDS_POSTGRES
def test_all_nodes_of_a_cluster_hold_one_time(tmp_path, database):
    nodes = [serve_from(database, tmp_path / name, "--cluster").start() for name in "ab"]
    year = max(year_of_a_write(node) for node in nodes)
    database.clock.set_ahead(10 * YEAR)
    for node in nodes:
        assert year_of_a_write(node) in (year, year + 1)
    nodes.append(serve_from(database, tmp_path / "c", "--cluster").start())
    for node in nodes:
        assert year_of_a_write(node) in (year, year + 1)
        assert database_step_becomes(node, 10 * YEAR)
    clock_command(nodes[2], database, "accept")
    for node in nodes:
        assert year_of_a_write(node) in (year + 10, year + 9)
        assert database_step_becomes(node, 0)
        node.stop()


@NEEDS_POSTGRES
def test_a_start_long_after_the_last_write_asks_for_a_confirmation_of_the_databases_clock(tmp_path, database):
    server = serve_from(database, tmp_path / "data").start()
    year = year_of_a_write(server)
    server.stop()
    (server.data / "clock").unlink()
    database.clock.set_ahead(2 * YEAR)
    store = {"BRASA_STORE": database.address}
    refused = servers.run("serve", "--port", "0", "--data", server.data, environment=store, check=False)
    assert refused.returncode == 1
    assert refused.stderr.startswith("Error: The database server's clock says ")
    database.clock.set_ahead(0)
    # The refused start has left the time alone.
    server.start()
    assert year_of_a_write(server) in (year, year + 1)
    server.stop()
    (server.data / "clock").unlink()
    database.clock.set_ahead(2 * YEAR)
    confirmed = serve_from(database, server.data, "--accept-clock").start()
    assert year_of_a_write(confirmed, server.administrator_key) in (year + 1, year + 2)
    confirmed.stop()
    server.start().stop()
