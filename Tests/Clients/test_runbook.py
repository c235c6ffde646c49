"""docs/runbook.md, followed: every command that it names is run, and what it promises is looked at."""

import datetime
import os
import pathlib
import re
import shutil
import signal
import ssl
import subprocess

import pytest
import requests

from support import clients, postgres, server as servers, shim

pytestmark = pytest.mark.brasa_only

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "runbook.md"
PROJECT = "shop"


def sections():
    """The commands of each section, by its heading; those before the first are the beginning's."""
    found, heading = {}, "beginning"
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("    "):
            found.setdefault(heading, []).append(line.strip())
    return found


COMMANDS = sections()
FOLLOWED = set()


class Machine:
    """A machine whose service is a server of ours, on which the page's commands are run."""

    def __init__(self, folder, **options):
        self.folder = folder
        self.data = folder / "data"
        self.target = folder / "backup"
        self.options = options
        self.programs = folder / "bin"
        self.programs.mkdir()
        (self.programs / "brasa").symlink_to(servers.binary())
        self.server = None
        self.instant = None
        self.environment = {}

    def back_up(self):
        key = self.folder / "backup.key"
        key.write_text(servers.run("backup", "key").stdout)
        self.options["flags"] = ["--backup", self.target, "--backup-key", key]

    def start(self):
        flags = self.options.get("flags", [])
        development = self.options.get("development", True)
        self.server = servers.Brasa(
            self.data, *flags, development=development, environment=self.options.get("environment")
        ).start()
        return self.server

    def run(self, command, check=True):
        """What a command of the page writes."""
        if command.startswith("systemctl "):
            return self.manage(command.split()[1])
        if command.startswith("journalctl "):
            return self.server.output
        command = command.replace("/backup/shop", str(self.target))
        if self.server:
            command = command.replace("http://127.0.0.1:8080", self.server.url)
        if self.instant:
            command = re.sub(r"--at \S+", f"--at {self.instant}", command)
        environment = servers.clean_environment({"PATH": f"{self.programs}:{os.environ['PATH']}", **self.environment})
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert not check or done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def manage(self, act):
        if act == "stop":
            if self.server:
                self.server.stop()
        elif act == "reload":
            self.server.process.send_signal(signal.SIGHUP)
        else:
            self.start()
        return ""

    def follow(self, heading, check=True):
        """Runs the commands of a section and gives what each wrote."""
        FOLLOWED.add(heading)
        return [self.run(command, check) for command in COMMANDS[heading]]

    def set(self, path, fields):
        clients.connect(self.server, PROJECT).document(path).set(fields, timeout=30)

    def get(self, path):
        return clients.connect(self.server, PROJECT).document(path).get(timeout=30).to_dict()

    def wait_for_backup(self):
        def is_current():
            values = dict(line.rsplit(" ", 1) for line in self.server.metrics if not line.startswith("#"))
            return values.get("brasa_backup_lag_seconds") in ("0", "0.0") and "brasa_backup_base_timestamp_seconds" in values

        servers.wait_for(is_current, "the backup")


@pytest.fixture
def machine(tmp_path):
    made = Machine(tmp_path)
    yield made
    if made.server:
        made.server.kill()


def test_the_first_questions(machine):
    machine.start()
    machine.set("c/a", {"n": 1})
    health, _, databases = machine.follow("beginning")
    assert health.startswith("ok") and f"projects/{PROJECT}/databases/(default)" in databases


def test_a_full_disk(machine):
    full = machine.folder / "full"
    machine.options["environment"] = shim.environment(shim.build(machine.folder), machine.data, full_while=full)
    machine.start()
    machine.set("c/a", {"n": 1})
    full.write_text("")
    with pytest.raises(Exception):
        clients.connect(machine.server, PROJECT).document("c/b").set({"n": 1}, retry=None, timeout=30)
    assert machine.get("c/a") == {"n": 1}
    full.unlink()
    servers.wait_for(lambda: requests.get(machine.server.url + "/healthz", timeout=30).text.startswith("ok"), "the store")
    _, health, verified = machine.follow("The disk is full")
    assert health.startswith("ok") and "no differences" in verified
    machine.set("c/c", {"n": 2})


def test_a_dead_disk(machine):
    machine.back_up()
    machine.start()
    machine.set("c/a", {"n": 1})
    machine.wait_for_backup()
    machine.server.kill()
    shutil.rmtree(machine.data)
    machine.options["flags"] = []
    _, restored, *_ = machine.follow("The disk is dead")
    assert "no differences" in restored and machine.get("c/a") == {"n": 1}


def test_something_deleted(machine):
    machine.back_up()
    machine.start()
    # A backup begins with the first base snapshot.
    machine.wait_for_backup()
    machine.set("products/a", {"n": 1})
    written = clients.connect(machine.server, PROJECT).document("products/a").get().update_time
    machine.instant = datetime.datetime.fromtimestamp(written.timestamp() + 0.001, datetime.timezone.utc).isoformat()
    clients.connect(machine.server, PROJECT).document("products/a").delete()
    machine.wait_for_backup()
    *_, alone = machine.follow("Data was deleted by mistake")
    assert machine.get("products/a") == {"n": 1}
    assert "no differences" in alone and "restored project shop to before" in alone


@pytest.mark.skipif(not postgres.programs(), reason=postgres.MISSING)
def test_a_store_in_postgresql_that_is_lost(machine):
    database = postgres.Postgres()
    try:
        environment = {"BRASA_STORE": database.address}
        machine.options["environment"] = machine.environment = environment
        machine.start()
        machine.set("c/kept", {"n": 1})
        machine.follow("Back up a store in PostgreSQL")
        assert (machine.folder / "base" / "base.tar.gz").exists()
        machine.set("c/later", {"n": 2})
        machine.server.stop()
        database.ask("drop schema brasa cascade")
        shutil.rmtree(machine.data)
        machine.data.mkdir()
        machine.server = None
        assert "no differences" in machine.follow("A store in PostgreSQL is lost")[-1]
        assert machine.get("c/kept") == {"n": 1} and machine.get("c/later") is None
    finally:
        if machine.server:
            machine.server.kill()
        database.close()


def test_damage(machine):
    machine.start()
    machine.set("c/a", {"n": 1})
    assert "no differences" in machine.follow("The data is damaged")[0]


def serial(server):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return ssl.get_server_certificate(("127.0.0.1", server.port))


def test_an_expired_certificate(machine):
    folder = machine.folder / "certificates"
    servers.run("certs", "--directory", folder, "--days", "1")
    machine.server = servers.Brasa.production(machine.data, folder).start()
    before = serial(machine.server)
    servers.run("certs", "--directory", folder)
    machine.follow("The certificate has expired")
    servers.wait_for(lambda: serial(machine.server) != before, "the new certificate")


def test_a_lost_administrator_key(machine):
    machine.options["development"] = False
    machine.start()
    lost = machine.server.administrator_key
    machine.follow("The administrator key is lost")
    keys = [lost, machine.server.administrator_key]
    url = f"{machine.server.url}/v1/projects/{PROJECT}/databases"
    statuses = [requests.get(url, headers={"Authorization": f"Bearer {key}"}, timeout=30).status_code for key in keys]
    assert statuses == [401, 200]


def test_administrators_and_stolen_keys(machine):
    machine.options["development"] = False
    machine.start()
    invited, administrators = machine.follow("An administrator cannot sign in")
    assert "http" in invited and "ada@example.org" in administrators
    machine.run(f"brasa keys create shop-backend --role admin --project {PROJECT} --out key.json --data data")
    machine.run("brasa console invite eve@example.org --role editor --data data")
    listed, revoked, _, removed = machine.follow("A key or an account was stolen")
    assert "shop-backend" in listed and revoked and removed
    assert "shop-backend" not in machine.run("brasa keys list --data data")
    assert "eve@example.org" not in machine.run("brasa console administrators --data data")


def test_an_attack(machine):
    machine.start()
    metrics, health, *_ = machine.follow("The server is under attack")
    assert "brasa_connections" in metrics and health.startswith("ok")
    stranger = requests.get(f"{machine.server.url}/v1/projects/{PROJECT}/databases/(default)/documents/c/a", timeout=30)
    assert stranger.status_code == 403


def test_the_clock(machine):
    machine.options["development"] = False
    machine.start()
    shown, accepted = machine.follow("The clock was wrong")
    assert shown and accepted


def test_an_upgrade(machine):
    machine.start()
    machine.set("c/a", {"n": 1})
    assert machine.follow("An upgrade went wrong")[0]


def test_a_move(machine):
    machine.back_up()
    machine.start()
    machine.set("c/a", {"n": 1})
    machine.wait_for_backup()
    machine.set("c/last", {"n": 2})

    def stop():
        machine.server.stop()
        shutil.rmtree(machine.data)
        machine.options["flags"] = []

    machine.manage = lambda act: stop() if act == "stop" else machine.start() and ""
    machine.follow("Moving to a bigger machine")
    assert machine.get("c/a") == {"n": 1} and machine.get("c/last") == {"n": 2}


def test_every_section_with_commands_was_followed():
    assert FOLLOWED == set(COMMANDS)
