"""`scripts/examples` as people start it: on the ports of a table, on free ones, and for a phone."""

import contextlib
import os
import random
import re
import signal
import socket
import subprocess
import urllib.request

import pytest
from conftest import BRASA, PATIENCE, PROGRAM, ROOT
from requests_of_texts import send, send_json
from test_products import by_provider

SCRIPT = ROOT.parent / "scripts/examples"
SERVERS = ROOT / "Sources/ExampleServers/Servers/servers.conf"


def table(text):
    """The names and values of a table of servers."""
    lines = [line.split() for line in text.splitlines() if line and line[0] != "#"]
    return dict(lines)


def command(*arguments):
    return [str(SCRIPT), *map(str, arguments)]


def environment():
    return {**os.environ, "EXAMPLES_PROGRAM": str(PROGRAM), "BRASA_BINARY": str(BRASA)}


class Examples:
    """One run of the script; `addresses` are those that it prints, by the server's name."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            command(*arguments), env=environment(), stdout=subprocess.PIPE, text=True,
            start_new_session=True,
        )
        self.output = ""
        for line in self.process.stdout:
            self.output += line
            if line.startswith("Ctrl-C"):
                break
        found = re.findall(r"^([a-z-]+) +(https?://\S+)", self.output, re.MULTILINE)
        self.addresses = dict(found)

    def stop(self):
        """What Ctrl-C does: the terminal sends it to the whole group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGINT)
        self.process.stdout.close()
        return self.process.wait(PATIENCE)

    @property
    def consoles(self):
        return re.findall(r"^  [a-z-]+ +(http\S+/console\S+)", self.output, re.MULTILINE)


@pytest.fixture
def examples():
    """Starts the script and stops it when the test is over."""
    running = []

    def start(*arguments):
        running.append(Examples(*arguments))
        return running[-1]

    yield start
    for one in running:
        if one.process.poll() is None:
            one.stop()


@pytest.fixture
def ports():
    """Ports that are free now and that the kernel gives to nobody who asks for any port."""
    chosen = []
    for port in random.sample(range(10_000, 30_000), 200):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            chosen.append(port)
        if len(chosen) == len(table(SERVERS.read_text())) - 1:
            break
    return chosen


def status(address):
    with urllib.request.urlopen(address, timeout=PATIENCE) as reply:
        return reply.status


def is_open(address):
    host, port = address.rsplit("/", 1)[1].split(":")
    try:
        socket.create_connection((host, int(port)), PATIENCE).close()
    except ConnectionRefusedError:
        return False
    return True


def test_the_courses_have_their_ports():
    servers = table(SERVERS.read_text())
    assert servers["vollmed-service"] == "3000" and servers["ponto-service"] == "8080"
    assert servers.pop("host") == "localhost"
    assert len(set(servers.values())) == len(servers)


def test_every_server_has_the_port_of_the_table_at_each_start(examples, ports, tmp_path):
    names = [name for name in table(SERVERS.read_text()) if name != "host"]
    chosen = dict(zip(names, ports, strict=True))
    file = tmp_path / "servers.conf"
    file.write_text("host localhost\n" + "".join(f"{n} {p}\n" for n, p in chosen.items()))
    arguments = ("--servers", file, "--data", tmp_path / "data")
    for _ in range(2):
        started = examples(*arguments)
        printed = {n: int(a.rsplit(":", 1)[1]) for n, a in started.addresses.items()}
        page = chosen["products-provider-page"]
        assert printed == {n: p for n, p in chosen.items() if p != page}, started.output
        assert is_open(f"http://127.0.0.1:{page}")
        for name, address in started.addresses.items():
            if name.endswith("-web"):
                assert status(address) == 200
        assert len(started.consoles) == 3, started.output
        assert all(status(link.split("#")[0]) == 200 for link in started.consoles)
        assert "start with --host" in started.output
        assert started.stop() == 0
        assert not any(is_open(address) for address in started.addresses.values())
    assert not (tmp_path / "data/local.conf").exists()


def test_a_phone_reaches_everything_at_the_host(examples, tmp_path, make_page):
    package = SERVERS.with_name("local.conf")
    before = package.exists() and package.read_text()
    # A loopback address that is not the usual one stands for the machine's address in the network.
    started = examples("--free-ports", "--host", "127.0.0.2", "--data", tmp_path / "data")
    inside = started.addresses.pop("products-provider")
    assert inside.startswith("https://localhost:")
    assert all(a.startswith("http://127.0.0.2:") for a in started.addresses.values())
    local = tmp_path / "data/local.conf"
    servers = table(local.read_text())
    assert servers["host"] == "127.0.0.2" and str(local) in started.output
    for name, address in started.addresses.items():
        assert servers[name] == address.rsplit(":", 1)[1]
        if name.endswith("-web"):
            assert f"  {name[:-4]:<20} {address}\n" in started.output
    assert (package.exists() and package.read_text()) == before
    # The trial provider's page has the phone's address too, and leads back to the phone's page.
    page = by_provider(make_page(started.addresses["products-web"]))
    assert page.driver.current_url.startswith(started.addresses["products-web"])


def test_one_server_stops_and_comes_back_from_another_terminal(examples, tmp_path):
    data = tmp_path / "data"
    started = examples("--free-ports", "--data", data)
    assert "scripts/examples --stop ponto-service" in started.output
    receipts = f"{started.addresses['ponto-service']}/recibos"

    def ask(*arguments):
        return subprocess.run(
            command("--data", data, *arguments), env=environment(), capture_output=True, text=True,
            timeout=PATIENCE,
        )

    # The course begins with an empty list.
    assert send("GET", receipts).says(200) == []
    kept = [send_json("POST", receipts, '{"data":"22/10/2021 03:34","status":false}').says(200)]
    running = ask("--start", "ponto-service")
    assert running.returncode == 64 and running.stderr == "ponto-service runs already.\n"
    assert ask("--stop", "ponto-service").returncode == 0
    assert not is_open(started.addresses["ponto-service"])
    assert ask("--stop", "ponto-service").stderr == "ponto-service does not run.\n"
    # It has its port, its data and its terminal, where Ctrl-C ends it.
    again = subprocess.Popen(
        command("--data", data, "--start", "ponto-service"), env=environment(),
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )
    assert again.stdout.readline() == f"listening on {started.addresses['ponto-service']}\n"
    assert send("GET", receipts).says(200) == kept
    os.killpg(again.pid, signal.SIGINT)
    again.stdout.close()
    assert again.wait(PATIENCE) == 0
    # The sales provider comes back with the key that it sends by.
    assert ask("--stop", "sales-service").returncode == 0
    note = data / "running/sales-service"
    assert "SALES_MESSAGES_KEY=BRSA" in note.read_text() and note.stat().st_mode & 0o77 == 0
    unknown = ask("--stop", "ponto")
    assert unknown.returncode == 64 and "ponto-service" in unknown.stderr
    assert ask("--stop", "../running/ponto-service").returncode == 64
    started.stop()
    gone = ask("--start", "ponto-service")
    assert gone.returncode == 64 and "start scripts/examples first" in gone.stderr


def test_a_taken_port_is_named_before_anything_is_built(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        file = tmp_path / "servers.conf"
        file.write_text(f"host localhost\nponto-service {port}\n")
        done = subprocess.run(
            command("--servers", file, "--data", tmp_path / "data"),
            capture_output=True, text=True, timeout=PATIENCE,
        )
    assert done.returncode == 1 and done.stdout == ""
    assert f"Port {port}, which ponto-service needs, is already in use." in done.stderr
    assert str(file) in done.stderr and "--free-ports" in done.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--open"], "has no option --open"),
        (["--data"], "--data needs a value"),
        (["--stop"], "--stop needs the name of a server"),
        (["--servers", "/nowhere"], "Can't read the table of ports /nowhere"),
    ],
)
def test_what_it_does_not_know_is_refused(arguments, message):
    done = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 64 and message in done.stderr
