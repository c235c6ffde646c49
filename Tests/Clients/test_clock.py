"""A system clock that is set while the server runs: held back in production, followed in development."""

import re
import struct

import pytest
import requests

from support import server as servers, shim

pytestmark = pytest.mark.brasa_only

YEAR = 365 * 86_400
PROJECT = "clock"


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


def year_of_a_write(server):
    url = f"{server.url}/v1/projects/{PROJECT}/databases/(default)/documents/c/d"
    headers = {"Authorization": f"Bearer {server.administrator_key}"}
    written = requests.patch(url, json={"fields": {}}, headers=headers, timeout=30)
    assert written.status_code == 200, written.text
    return int(written.json()["updateTime"][:4])


def health(server):
    return requests.get(f"{server.url}/healthz", timeout=30)


def step(server):
    page = requests.get(f"{server.url}/metrics", timeout=30).text
    return float(re.search(r"^brasa_clock_step_seconds (\S+)$", page, re.MULTILINE).group(1))


def test_a_step_is_held_back_until_it_is_accepted(tmp_path, clock):
    server = serve(tmp_path, clock).start()
    year = year_of_a_write(server)
    clock.set_ahead(10 * YEAR)
    assert year_of_a_write(server) in (year, year + 1)
    assert step(server) == pytest.approx(10 * YEAR, abs=10)
    server.wait_for_output("the clock stepped and is not followed")
    assert health(server).status_code == 200
    assert "brasa clock accept" in health(server).text
    assert "315360000 s ahead" in servers.run("clock", "--data", server.data).stdout

    # A restart under the same boot holds it back, too.
    server.stop()
    server.start()
    assert "315360000 s ahead" in servers.run("clock", "--data", server.data).stdout

    accepted = servers.run("clock", "accept", "--data", server.data).stdout
    assert f"{year + 10}-" in accepted or f"{year + 9}-" in accepted
    assert step(server) == 0
    server.wait_for_output("the clock is followed again")
    assert health(server).text == "ok\n"
    server.stop()


def test_a_clock_that_is_set_back_right_leaves_nothing_behind(tmp_path, clock):
    server = serve(tmp_path, clock).start()
    clock.set_ahead(-3_600)
    assert step(server) == pytest.approx(-3_600, abs=10)
    server.wait_for_output("the clock stepped and is not followed")
    clock.set_ahead(0)
    assert step(server) == 0
    server.wait_for_output("the clock is followed again")
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
    assert "No server in production" in servers.run(
        "clock", "accept", "--data", server.data, check=False
    ).stderr
    server.stop()
