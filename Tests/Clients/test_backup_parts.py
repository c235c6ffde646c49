"""The parts of a server that a backup has beside the engines, and access that was taken away after the chosen instant."""

import contextlib
import gzip
import hashlib
import json
import os
import shutil

import grpc
import pytest
import requests
from support import clients, server as servers
from support.listening import ListenStream
from test_backup import Backed, documents, key, running  # noqa: F401
from test_backup_faults import auth
from test_functions import CODEBASES, Functions, environment
from test_hosting import Site

pytestmark = pytest.mark.brasa_only


def version_of(time):
    return int(time.timestamp()) * 1_000_000 + time.microsecond


def test_larger_files_of_sites_are_restored_as_they_were_at_an_instant(tmp_path, key):
    backed = Backed(tmp_path, key)
    first, second = os.urandom(200_000), os.urandom(90_000)
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "shop")) as client:
        backed.wait()
        site = Site(server, "shop")
        site.deploy({"/index.html": b"one", "/large.bin": first})
        between = client.document("d/1").set({"n": 1}).update_time
        site.deploy({"/index.html": b"two", "/large.bin": second})
        backed.wait()
        server.kill()
    shutil.rmtree(server.data)
    for arguments, text, large in (([], b"two", second), (["--before-commit", version_of(between)], b"one", first)):
        to, done = backed.restore(*arguments)
        assert "no differences" in done.stdout and "does not have the bytes" not in done.stdout
        with running(servers.Brasa(to)) as server:
            site = Site(server, "shop")
            assert site.get("/index.html").content == text
            assert site.get("/large.bin").content == large


def test_a_base_snapshot_without_sites_is_followed_by_one_with_them(tmp_path, key):
    """Deployed while no backup was made: the base snapshot has what no segment names."""
    backed = Backed(tmp_path, key)
    content = os.urandom(150_000)
    with running(servers.Brasa(backed.server.data)) as server:
        Site(server, "shop").deploy({"/large.bin": content})
        server.stop()
    with running(backed.server) as server:
        backed.wait()
        server.kill()
    shutil.rmtree(server.data)
    to, _ = backed.restore()
    with running(servers.Brasa(to)) as server:
        assert Site(server, "shop").get("/large.bin").content == content


def content(path):
    """The content of an object that has no encryption."""
    data = path.read_bytes()
    start = 12 + int.from_bytes(data[8:12], "little")
    packed = json.loads(data[12:start])["packed"]
    return gzip.decompress(data[start:-32]) if packed else data[start:-32]


def lists(backed):
    folder = backed.target / "lists"
    return sorted(path for path in folder.iterdir() if not path.name.endswith(".part")) if folder.exists() else []


def listed(backed):
    """The files beside the engines in a backup without encryption, as they were at last."""
    if not lists(backed):
        return {}
    files = json.loads(content(lists(backed)[-1]))["files"]
    return {file["path"]: content(backed.target / f"{file['object']}-000000") for file in files}


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return environment(tmp_path_factory)


def test_functions_are_restored_with_their_sealed_secrets(tmp_path, shared):
    backed = Backed(tmp_path, None)
    flags = ["--backup", backed.target, "--allow-plain", "--functions"]
    backed.server = servers.Brasa(tmp_path / "data", *flags, environment=shared)
    with running(backed.server) as server:
        functions = Functions(server, "shop")
        functions.command("secrets", "set", "API_KEY", input="sk-live-0123456789abcdef\n")
        functions.command("deploy", CODEBASES / "shop")
        functions.command("secrets", "set", "OTHER", input="another secret value\n")
        servers.wait_for(lambda: b"OTHER" in listed(backed).get("functions/secrets/shop.json", b""), "the files")
        backed.wait()
        assert not any(b"another secret" in text or b"sk-live" in text for text in listed(backed).values())
        secrets_key = (server.data / "functions.key").read_bytes()
        server.kill()
    shutil.rmtree(server.data)
    assert not any(secrets_key.strip() in path.read_bytes() for path in backed.target.rglob("*") if path.is_file())
    to, done = backed.restore()
    assert "no differences" in done.stdout and "Copy the file from where you keep it to" in done.stdout
    assert (to / "functions" / "sources").exists() and not (to / "functions.key").exists()
    (to / "functions.key").write_bytes(secrets_key)
    with running(servers.Brasa(to, "--functions", environment=shared)) as server:
        functions = Functions(server, "shop")
        assert functions.call("greet", {"name": "Ana"}).json()["result"]["text"].endswith("Ana")
        assert "OTHER" in functions.command("secrets", "list").stdout


@pytest.mark.slow
def test_packages_of_restored_functions_are_installed_again(tmp_path, shared):
    backed = Backed(tmp_path, None)
    flags = ["--backup", backed.target, "--allow-plain", "--functions"]
    backed.server = servers.Brasa(tmp_path / "data", *flags, environment=shared)
    with running(backed.server) as server:
        functions = Functions(server, "shop")
        functions.command("secrets", "set", "API_KEY", input="sk-live-0123456789abcdef\n")
        functions.command("deploy", CODEBASES / "shop")
        servers.wait_for(lambda: any("deployments" in path for path in listed(backed)), "the files")
        backed.wait()
        secrets_key = (server.data / "functions.key").read_bytes()
        server.kill()
    to, _ = backed.restore()
    (to / "functions.key").write_bytes(secrets_key)
    own = {"BRASA_FUNCTIONS_ENVIRONMENTS": str(tmp_path / "environments")}
    with running(servers.Brasa(to, "--functions", environment=own)) as server:
        functions = Functions(server, "shop")
        servers.wait_for(lambda: functions.call("greet", {"name": "Ana"}).status_code == 200, "packages", seconds=300)


def test_a_list_of_files_leads_nowhere_else(tmp_path):
    """Without a key anybody who reaches the target may write objects."""
    backed = Backed(tmp_path, None)
    with running(backed.server) as server:
        backed.wait()
        folder = server.data / "functions" / "sources" / "one"
        folder.mkdir(parents=True)
        (folder / "main.py").write_bytes(b"print('hello')")
        servers.wait_for(lambda: listed(backed).get("functions/sources/one/main.py"), "the file")
        server.kill()
    to, _ = backed.restore()
    assert (to / "functions" / "sources" / "one" / "main.py").read_bytes() == b"print('hello')"
    forge(lists(backed)[-1], b"functions/sources/one/main.py", b"functions/sources/../../ou.py")
    _, done = backed.restore(check=False)
    assert done.returncode == 1 and "A list of files in the backup contains" in done.stderr, done.stderr


def forge(path, old, new):
    """Replaces a part of an object that has no encryption, as somebody does who knows the form."""
    data = path.read_bytes()
    start = 12 + int.from_bytes(data[8:12], "little")
    assert old in content(path)
    body = data[:start] + gzip.compress(content(path).replace(old, new))
    path.write_bytes(body + hashlib.sha256(body).digest())


def test_access_that_was_taken_away_later_does_not_come_back(tmp_path, key):
    backed = Backed(tmp_path, key)
    ana = {"email": "ana@example.org", "password": "a long password", "returnSecureToken": True}
    headers = {"Authorization": "Bearer owner"}
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "demo-brasa")) as client:
        backed.wait()
        keys = f"{server.url}/storage/v1/projects/demo-brasa/hmacKeys"
        made = [
            requests.post(keys, params={"serviceAccountEmail": "a@b.c"}, headers=headers, timeout=30).json()["metadata"]
            for _ in range(3)
        ]
        uid = auth(server, "accounts:signUp", ana).json()["localId"]
        point = client.document("d/1").set({"n": 1}).update_time
        for number, state in ((0, "INACTIVE"), (1, "INACTIVE")):
            name = made[number]["accessId"]
            requests.put(f"{keys}/{name}", json={"state": state}, headers=headers, timeout=30).raise_for_status()
        requests.delete(f"{keys}/{made[1]['accessId']}", headers=headers, timeout=30).raise_for_status()
        change = {"localId": uid, "disableUser": True}
        update = f"{server.url}/identitytoolkit.googleapis.com/v1/projects/demo-brasa/accounts:update"
        requests.post(update, json=change, headers=headers, timeout=30).raise_for_status()
        backed.wait()
        server.stop()
    arguments = ["--before-commit", version_of(point)]
    names = [key["accessId"] for key in made]
    to, done = backed.restore(*arguments)
    assert f"inactive again: HMAC key {names[0]}" in done.stdout and f"deleted again: HMAC key {names[1]}" in done.stdout
    assert names[2] not in done.stdout and f"disabled again: user {uid} of projects/demo-brasa" in done.stdout
    assert states(to) == {names[0]: "INACTIVE", names[2]: "ACTIVE"}
    with running(servers.Brasa(to)) as server:
        assert auth(server, "accounts:signInWithPassword", ana).status_code == 400
    to, done = backed.restore(*arguments, "--with-access")
    assert "again:" not in done.stdout
    assert states(to) == {name: "ACTIVE" for name in names}


def states(data):
    with running(servers.Brasa(data)) as server:
        keys = f"{server.url}/storage/v1/projects/demo-brasa/hmacKeys"
        items = requests.get(keys, headers={"Authorization": "Bearer owner"}, timeout=30).json()["items"]
        return {item["accessId"]: item["state"] for item in items}


def test_the_console_shows_the_backup_to_owners(tmp_path, key):
    backed = Backed(tmp_path, key, environment={"BRASA_BACKUP_PROOF_HOURS": "24"})
    with running(backed.server) as server:
        backed.wait()
        shown = requests.get(f"{server.url}/console/api/backup", headers={"Authorization": "Bearer owner"}, timeout=30)
        assert shown.status_code == 200, shown.text
        backup = shown.json()["backup"]
        assert backup["target"] == str(backed.target) and backup["encrypted"] is True and backup["days"] == 7
        assert backup["base"]["base"] == 1 and backup["earliest"] == backup["base"]["time"] and backup["failure"] is None
        assert backup["lagSeconds"] < 60 and backup["proof"] is None and backup["proofHours"] == 24


def test_a_listener_from_before_a_restore_begins_anew(tmp_path, key):
    backed = Backed(tmp_path, key)
    database = "projects/p/databases/(default)"
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "p")) as client:
        client.document("c/a").set({"n": 1})
        at = client.document("c/b").set({"n": 2}).update_time
        client.document("c/lost").set({"n": 3})
        client.document("c/a").set({"n": 100})
        backed.wait()
        with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            stream = ListenStream(channel, database)
            stream.add(2, stream.query("c"))
            stream.until_consistent(2)
            held, token = stream.targets[2].consistent, stream.targets[2].token
            stream.cancel()
    to, _ = backed.restore("--before-commit", version_of(at) + 1)
    with running(servers.Brasa(to)) as server, grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        for resets in (1, 0):
            again = ListenStream(channel, database)
            target = again.add(2, again.query("c"), held=held, resume_token=token)
            again.until_consistent(2)
            # The document of the commits that the restored server never had is gone; later tokens are good.
            assert again.ids(2) == ["a", "b"] and target.resets == resets
            held, token = target.consistent, target.token
            again.cancel()
