"""Restores that are cut off: by the end of their server, by a kill, by one another; and servers that are killed while they back up."""

import contextlib
import itertools
import os
import pathlib
import subprocess
import threading

import pytest
import requests
from google.api_core import exceptions
from support import clients, server as servers
from support.s3 import Moto
from test_backup import Backed, documents, key, running  # noqa: F401
from test_backup_faults import write
from test_backup_steps import Bucket

pytestmark = pytest.mark.brasa_only

HEADERS = {"Authorization": "Bearer owner"}


class Plug:
    """A pipe in the place of a backup's file: whoever reads the file waits."""

    def __init__(self, path):
        self.path, self.content = path, path.read_bytes()
        path.unlink()
        os.mkfifo(path)

    def remove(self):
        self.path.unlink()
        self.path.write_bytes(self.content)


def children(process):
    """The ids of the processes that a process started and that run."""
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = status.read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) == process and fields[0] not in "ZX":
                found.append(int(status.parent.name))
    return found


def runs(process):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    return False


def test_a_restore_ends_with_its_parent_and_alone_has_its_directory(tmp_path, key):
    backed = Backed(tmp_path, key)
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "p")) as client:
        write(client, range(5))
        backed.wait()
        server.stop()
    plug = Plug(backed.segments[-1])
    to, unfinished = tmp_path / "to", tmp_path / "to.restoring"
    arguments = ["restore", "--from", backed.target, "--backup-key", key, "--to", to]
    command = [servers.binary(), *arguments, "--ends-with-input"]
    process = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    servers.wait_for(lambda: (unfinished / "restore-incomplete").exists(), "the directory")
    second = servers.run(*arguments, check=False)
    assert second.returncode == 1 and "Another restore writes to" in second.stderr, second.stderr
    assert process.poll() is None and unfinished.exists()
    process.stdin.close()
    assert process.wait(servers.STOP_SECONDS) == 1
    # The system released the lock: the next one takes its place.
    plug.remove()
    servers.run(*arguments)
    assert len(documents(to)) == 5


def rest(server, method, path, body=None):
    return requests.request(method, f"{server.url}/v1/projects/{path}", json=body, headers=HEADERS, timeout=60)


def start_restore(server, backed, project, new):
    """Restores a scheduled backup of a project's default database as another one; returns the operation's name."""
    root = f"{project}/databases/(default)"
    schedule = rest(server, "POST", f"{root}/backupSchedules", {"retention": "604800s", "dailyRecurrence": {}})
    assert schedule.status_code == 200, schedule.text

    def ready():
        found = rest(server, "GET", f"{project}/locations/-/backups").json().get("backups", [])
        return [backup for backup in found if backup["state"] == "READY"]

    [backup] = servers.wait_for(ready, "a backup")
    backed.wait()
    plug = Plug(backed.segments[-1])
    body = {"databaseId": new, "backup": backup["name"]}
    operation = rest(server, "POST", f"{project}/databases:restore", body)
    assert operation.status_code == 200, operation.text
    return operation.json()["name"].removeprefix("projects/"), plug


def scratch(server):
    return list(server.data.glob("restore-*.restoring"))


@pytest.mark.slow
def test_a_restore_that_its_server_did_not_outlive_is_repeated(tmp_path, key):
    backed = Backed(tmp_path, key)
    with running(backed.server) as server:
        with contextlib.closing(clients.connect(server, "shop")) as client:
            write(client, range(20))
        operation, plug = start_restore(server, backed, "shop", "before")
        servers.wait_for(lambda: scratch(server), "the restore")
        [child] = children(server.process.pid)
        server.kill()
    # It wrote nothing more, and waits for nothing.
    servers.wait_for(lambda: not runs(child), "the end of the command")
    plug.remove()
    # Without a backup nothing goes on, and everybody says so.
    with running(servers.Brasa(backed.server.data)) as server:
        server.wait_for_output("a restore was cut off, and the database takes no writes")
        assert "brasa databases delete before --project shop --force" in server.output
        servers.wait_for(lambda: not scratch(server), "the removal of the copy")
        with contextlib.closing(clients.connect(server, "shop", "before")) as found:
            assert not list(found.collection("d").stream())
            with pytest.raises(exceptions.FailedPrecondition, match="start the server with it, or delete the database"):
                found.document("d/new").set({"n": 1}, retry=None)
        listed = servers.run("databases", "list", "--data", server.data).stdout
        assert "projects/shop/databases/before  is being restored; takes no writes until then" in listed.splitlines()
        assert "projects/shop/databases/(default)" in listed.splitlines()
        # An import is nobody's restore.
        servers.run("export", tmp_path / "export", "--project", "shop", "--data", server.data)
        arguments = ["import", tmp_path / "export", "--project", "shop", "--database", "before", "--data", server.data]
        refused = servers.run(*arguments, check=False)
        assert refused.returncode == 1 and "is being restored from a backup" in refused.stderr + refused.stdout
        server.stop()
    with running(backed.server) as server:
        servers.wait_for(lambda: rest(server, "GET", operation).json().get("done"), "the restore")
        done = rest(server, "GET", operation).json()
        assert done["metadata"]["operationState"] == "SUCCESSFUL", done
        assert "a restore that was cut off is repeated" in server.output
        with contextlib.closing(clients.connect(server, "shop", "before")) as found:
            assert {s.id for s in found.collection("d").stream()} == set(map(str, range(20)))
            found.document("d/new").set({"n": 1})
        assert servers.run("databases", "list", "--data", server.data).stdout.splitlines()[:2] == [
            "projects/shop/databases/(default)", "projects/shop/databases/before"]


@pytest.mark.slow
def test_a_restore_that_cannot_be_repeated_leaves_a_database_to_delete(tmp_path, key):
    backed = Backed(tmp_path, key)
    with running(backed.server) as server:
        with contextlib.closing(clients.connect(server, "shop")) as client:
            write(client, range(20))
        operation, plug = start_restore(server, backed, "shop", "before")
        servers.wait_for(lambda: scratch(server), "the restore")
        server.kill()
    plug.remove()
    backup = None
    with running(servers.Brasa(backed.server.data)) as server:
        [backup] = rest(server, "GET", "shop/locations/-/backups").json()["backups"]
        assert rest(server, "DELETE", backup["name"].removeprefix("projects/")).status_code == 200
        server.stop()
    with running(backed.server) as server:
        servers.wait_for(lambda: rest(server, "GET", operation).json().get("done"), "the failure")
        done = rest(server, "GET", operation).json()
        assert "its backup has expired or was deleted" in done["error"]["message"], done
        with contextlib.closing(clients.connect(server, "shop", "before")) as found:
            with pytest.raises(exceptions.FailedPrecondition, match="takes no writes, since its restore failed"):
                found.document("d/new").set({"n": 1}, retry=None)
        listed = servers.run("databases", "list", "--data", server.data).stdout
        assert "projects/shop/databases/before  was not restored and takes no writes: It was cut off" in listed
        servers.run("databases", "delete", "before", "--project", "shop", "--force", "--data", server.data)
        servers.run("databases", "create", "before", "--project", "shop", "--data", server.data)
        with contextlib.closing(clients.connect(server, "shop", "before")) as made:
            made.document("d/new").set({"n": 1})


def test_a_restore_that_is_over_writes_nothing_more(tmp_path, key):
    """The command of an API's restore, as a server starts it, into a database that took the place of its own."""
    backed = Backed(tmp_path, key)
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "shop")) as client:
        write(client, range(5))
        backed.wait()
        servers.run("databases", "create", "before", "--project", "shop", "--data", server.data)
        with contextlib.closing(clients.connect(server, "shop", "before")) as made:
            made.document("d/0").set({"n": "mine"})
            command = ["restore", "--from", backed.target, "--backup-key", key, "--project", "shop", "--data", server.data]
            for name in ("before", "gone"):
                done = servers.run(*command, "--as", name, "--since", "1", check=False)
                assert done.returncode == 1 and ("is over" in done.stderr or "does not exist" in done.stderr), done.stderr
            assert {s.id: s.to_dict() for s in made.collection("d").stream()} == {"0": {"n": "mine"}}
        assert "gone" not in servers.run("databases", "list", "--data", server.data).stdout
        assert not scratch(server)


@pytest.fixture(scope="module")
def moto():
    made = Moto()
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize("arrives", [True, False], ids=["the request arrives", "the request is lost"])
def test_a_server_killed_at_any_request_of_its_backup_loses_nothing(moto, tmp_path, key, arrives):
    """For each number: one server is killed at that request, the next one too, and the third goes on to the end.

    `BRASA_FIRST_KILL` is the number to begin with, for a run that was cut off.
    """
    kills = 0
    for step in itertools.count(int(os.environ.get("BRASA_FIRST_KILL", "1"))):
        bucket = Bucket(moto, f"{tmp_path.name}-{arrives}-{step}")
        folder = tmp_path / str(step)
        folder.mkdir()
        backed = Backed(folder, key)
        flags = ["--backup", bucket.address, "--backup-key", key]
        kept, was_killed = set(), False
        for life in range(3):
            backed.server = server = servers.Brasa(folder / "data", *flags, environment=bucket.environment())
            seen = kill_at(bucket, step if life < 2 else 0, server, arrives)
            try:
                server.start()
                with contextlib.closing(clients.connect(server, "p")) as client:
                    for number in range(12):
                        name = f"{life}-{number}"
                        client.document(f"d/{name}").set({"n": name, "text": "x" * 2_000}, retry=None, timeout=30)
                        kept.add(name)
                    if life < 2:
                        # Until it is killed, or the backup has all.
                        servers.wait_for(lambda: seen.is_set() or backed.is_current(), "the backup or the end")
                    else:
                        backed.wait()
            except (RuntimeError, exceptions.GoogleAPICallError, requests.RequestException):
                assert seen.is_set(), server.output
            finally:
                server.kill()
            was_killed = was_killed or seen.is_set()
            kills += seen.is_set()
        bucket.relay.on_sent = lambda data: None
        to = folder / "restored"
        environment = bucket.environment(moto.url)
        done = servers.run("restore", "--from", bucket.address, "--to", to, "--backup-key", key, environment=environment)
        assert "no differences" in done.stdout
        assert set(documents(to)) >= kept and len(kept) >= 12, (step, kept - set(documents(to)))
        bucket.relay.close()
        if not was_killed:
            break
    print(f"{kills} kills, the last at request {step - 1}")
    assert step > 8


def kill_at(bucket, step, server, arrives):
    """Kills the server at the request of that number; the event says that it did."""
    seen, done = itertools.count(1), threading.Event()

    def look(data):
        if done.is_set():
            return
        if data.split(b" ", 1)[0] in (b"GET", b"PUT", b"DELETE", b"HEAD", b"POST") and next(seen) == step:
            done.set()
            server.process.kill()
            if not arrives:
                raise ConnectionError

    bucket.relay.on_sent = look
    return done
