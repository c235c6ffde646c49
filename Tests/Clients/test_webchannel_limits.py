"""What one client may hold of the sessions that all share, and of the memory."""

import concurrent.futures

import pytest
import requests

from support import rpc, server as servers, webchannel

pytestmark = pytest.mark.brasa_only

HERE, ELSEWHERE = "127.0.0.1", "127.0.0.2"


class Address(requests.adapters.HTTPAdapter):
    """Connects from an address of this machine."""

    def __init__(self, address):
        self.address = address
        super().__init__()

    def init_poolmanager(self, *arguments, **options):
        super().init_poolmanager(*arguments, source_address=(self.address, 0), **options)


def session(server, address=HERE):
    made = webchannel.Session(server, rpc.Names("p").database)
    made.http.mount("http://", Address(address))
    return made


def opened(server, count, address=HERE, authorization=None):
    """How many of that many sessions are opened in a row."""
    codes = [session(server, address).open([], authorization=authorization).status_code for _ in range(count)]
    assert codes == sorted(codes) and set(codes) <= {200, 503}
    return codes.count(200)


def test_one_client_does_not_fill_the_table(tmp_path):
    """Nobody has a quarter of the table from one address, and leaves room for the next and for those
    with credentials."""
    server = servers.Brasa(tmp_path / "data", "--webchannel-sessions", "40").start()
    try:
        assert opened(server, 15) == 10
        assert opened(server, 15, ELSEWHERE) == 5
        assert opened(server, 1, authorization="Bearer owner") == 1
    finally:
        server.kill()


def resident(server):
    """The megabytes of memory that the server takes."""
    with open(f"/proc/{server.process.pid}/status") as status:
        line = next(line for line in status if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def fill(server, number, address):
    """Opens a session of nobody, leaves megabytes in it that wait for their turn, and hangs up."""
    made = session(server, address)
    try:
        if made.open([], authorization=None).status_code != 200:
            return 0
        for offset in [1, 2]:
            made.post(["x" * 4_000_000], offset=offset)
        return 1
    finally:
        made.close()


@pytest.mark.slow
def test_sessions_without_a_connection_hold_little(tmp_path):
    """15 MB a session, times 10,000, before any credentials: now a part of one pool, and given back."""
    server = servers.Brasa(tmp_path / "data", "--client-memory", "128").start()
    try:
        # Whatever is made once is made.
        fill(server, 0, HERE)
        before = resident(server)
        addresses = [f"127.0.1.{number % 20 + 1}" for number in range(80)]
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            filled = sum(threads.map(lambda item: fill(server, *item), enumerate(addresses)))
        assert filled > 40
        assert resident(server) - before < 256
        assert session(server, ELSEWHERE).open().status_code == 200
    finally:
        server.kill()
