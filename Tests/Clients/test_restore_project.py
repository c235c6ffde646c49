"""One project of several restored alone: all that it has, nothing of the others, nothing of the server."""

import contextlib
import os
import shutil
import subprocess
import threading

import pytest
import requests
from support import clients, firebase_storage as firebase, server as servers
from support.analytics import Analytics, batch, event
from support.messaging import Device
from support.whole_project import OWNER, Project
from test_backup import Backed, documents, key, running  # noqa: F401
from test_backup_parts import listed, version_of
from test_functions import CODEBASES, Functions, environment
from test_hosting import Site

pytestmark = pytest.mark.brasa_only

# In everything that the other project has; compression leaves a run of letters as it is.
MARK = "quetzalcoatlus"


def bucket(project):
    return f"{project}.appspot.com"


def fill(server, name, text, tmp_path):
    """A project with something of every kind, all of it with a text."""
    project = Project(server, name)
    project.secret = project.fill(tmp_path)
    with contextlib.closing(clients.connect(server, name)) as client:
        client.document("d/one").set({"text": text})
        client.document(f"{text}/{text}").set({"n": 1})
    servers.run("databases", "create", "archive", "--project", name, "--data", server.data)
    project.write("old/a", {"text": {"stringValue": text}}, "archive")
    storage = firebase.Storage(server, bucket(name), "owner")
    project.large = os.urandom(200_000) + text.encode()
    for path, content in (("small", text.encode()), ("large", project.large), (text, b"x")):
        assert storage.upload(path, content).status_code == 200
    assert storage.delete("small").status_code in (200, 204)
    assert storage.upload("small", text.encode()).status_code == 200
    project.identity.client("signUp", email=f"{text}@example.org", password="correct horse 7", displayName=text)
    project.session = project.sign_in("caio@example.com")["refreshToken"]
    project.site = Site(server, name)
    project.site.deploy({"/index.html": text.encode(), "/large.bin": project.large})
    project.device = Device(server, name, "1:42:linux:ab")
    project.device.register()
    analytics = Analytics(server, name)
    analytics.accepted(batch("cAbc-efghijklmnopqrst_", event(text)))
    return project


def events(server, name, folder):
    """The names of all events, as an export has them."""
    servers.run("export", folder, "--project", name, "--include", "events", "--data", server.data)
    return b"".join(path.read_bytes() for path in (folder / "events").rglob("*") if path.is_file())


def check(server, project, expected, text, folder):
    """The project on another server has what it had."""
    project.running, project.identity.server = server, server
    moved = Project(server, project.name)
    assert moved.everything() == expected
    archive = moved.send("GET", f"/v1/projects/{project.name}/databases/archive/documents/old/a")
    assert archive["fields"] == {"text": {"stringValue": text}}
    storage = firebase.Storage(server, bucket(project.name), "owner")
    assert storage.download("large").content == project.large and storage.download("small").content == text.encode()
    site = Site(server, project.name)
    assert site.get("/index.html").content == text.encode() and site.get("/large.bin").content == project.large
    assert "mfaPendingCredential" in moved.sign_in("ana@example.com") and moved.sign_in("caio@example.com")["idToken"]
    refreshed = requests.post(
        f"{server.url}/securetoken.googleapis.com/v1/token?key=any", timeout=30,
        data={"grant_type": "refresh_token", "refresh_token": project.session},
    )
    assert refreshed.status_code == 200, refreshed.text
    assert text.encode() in events(server, project.name, folder)
    # The device's token leads to its registration.
    sent = moved.send("POST", f"/v1/projects/{project.name}/messages:send", {"message": {"token": project.device.token, "data": {"a": "b"}}})
    assert sent["name"]


def bytes_of(directory):
    return b"".join(path.read_bytes() for path in directory.rglob("*") if path.is_file())


@pytest.mark.slow
def test_one_project_is_restored_with_all_that_it_has_and_nothing_of_another(tmp_path, key):
    backed = Backed(tmp_path, key)
    with running(backed.server) as server:
        backed.wait()
        shop = fill(server, "shop", "pelican", tmp_path)
        fill(server, "shop-2", MARK, tmp_path)
        servers.run("keys", "create", "backend", "--role", "admin", "--project", "shop", "--out", tmp_path / "a.json", "--data", server.data)
        servers.run("keys", "create", MARK, "--role", "admin", "--project", "shop-2", "--out", tmp_path / "b.json", "--data", server.data)
        expected = shop.everything()
        backed.wait()
        server.kill()
    assert MARK.encode() in bytes_of(server.data)
    shutil.rmtree(server.data)
    to, done = backed.restore("--project", "shop")
    assert "no differences" in done.stdout and f"restored project shop to {to}" in done.stdout, done.stdout
    assert MARK.encode() not in bytes_of(to)
    assert not (to / "administrator-key.sha256").exists()
    keys = servers.run("keys", "list", "--data", to).stdout
    assert "backend" in keys and MARK not in keys
    with running(servers.Brasa(to)) as server:
        check(server, shop, expected, "pelican", tmp_path / "export")
        found = requests.get(f"{server.url}/console/api/projects", headers=OWNER, timeout=30).json()
        assert found["projects"] == ["shop"]
        assert servers.run("databases", "list", "--data", to).stdout.splitlines()[:2] == [
            "projects/shop/databases/(default)", "projects/shop/databases/archive"]
        assert firebase.Storage(server, bucket("shop-2"), "owner").download("large").status_code == 404
        assert Site(server, "shop-2").get("/index.html").status_code in (404, 421)
        # It goes on as any other server.
        with contextlib.closing(clients.connect(server, "shop")) as client:
            client.document("d/new").set({"n": 1})
            assert client.document("d/new").get().exists
        Site(server, "shop").deploy({"/index.html": b"new"})
        assert firebase.Storage(server, bucket("shop"), "owner").upload("new", b"y").status_code == 200
        assert server.stop() == 0
    assert "no differences" in servers.run("verify", "--data", to).stdout


def test_one_project_is_restored_to_an_instant_or_not_at_all(tmp_path, key):
    backed = Backed(tmp_path, key)
    with running(backed.server) as server:
        backed.wait()
        with contextlib.closing(clients.connect(server, "shop")) as client, contextlib.closing(clients.connect(server, "late")) as other:
            first = client.document("d/1").set({"n": 1}).update_time
            client.document("d/1").set({"n": 2})
            client.document("d/2").set({"n": 2})
            other.document("d/1").set({"n": 1})
            backed.wait()
        server.stop()
    point = ["--before-commit", version_of(first) + 1]
    to, done = backed.restore("--project", "shop", *point)
    assert documents(to, "shop") == {"1": {"n": 1}}, done.stdout
    # A project that came later, and one that nobody knows: nothing stays behind.
    for arguments in (["late", *point], ["nobody"]):
        to, done = backed.restore("--project", *arguments, check=False)
        assert done.returncode == 1 and f"The backup has no project {arguments[0]} at that instant." in done.stderr
        assert not list(tmp_path.glob(f"{to.name}*"))
    to, done = backed.restore("--project", "shop", "--database", "orders", check=False)
    assert done.returncode == 64 and "--database goes with --as" in done.stderr


@pytest.mark.slow
def test_a_restore_of_one_project_that_is_killed_leaves_no_data_directory(tmp_path, key):
    backed = Backed(tmp_path, key)
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "shop")) as client:
        for number in range(20):
            client.document(f"d/{number}").set({"n": number, "text": "x" * 50_000})
        backed.wait()
        server.stop()
    to = tmp_path / "cut"
    command = [servers.binary(), "restore", "--from", backed.target, "--to", to, "--backup-key", key, "--project", "shop"]
    unfinished = tmp_path / "cut.restoring"
    cut = 0
    for part in ("restore-incomplete", "store/FORMAT", "store-alone", "events-alone"):
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not (unfinished / part).exists():
            pass
        process.kill()
        process.wait()
        if to.exists():
            break
        cut += 1
        done = servers.run("verify", "--data", unfinished, check=False)
        assert done.returncode == 1 and "cut off" in done.stderr
    assert cut > 0
    if not to.exists():
        servers.run(*command[1:])
    assert len(documents(to, "shop")) == 20 and not (to / "store-alone").exists()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return environment(tmp_path_factory)


@pytest.mark.slow
def test_functions_of_other_projects_stay_behind(tmp_path, shared):
    backed = Backed(tmp_path, None)
    flags = ["--backup", backed.target, "--allow-plain", "--functions"]
    backed.server = servers.Brasa(tmp_path / "data", *flags, environment=shared)
    with running(backed.server) as server:
        for name in ("shop", "other"):
            functions = Functions(server, name)
            functions.command("secrets", "set", "API_KEY", input=f"sk-{name}-0123456789abcdef\n")
            functions.command("deploy", CODEBASES / "shop")
            with contextlib.closing(clients.connect(server, name)) as client:
                client.document("d/1").set({"n": 1})
        secrets_key = (server.data / "functions.key").read_bytes()
        servers.wait_for(lambda: "functions/secrets/other.json" in listed(backed), "the files")
        backed.wait()
        server.stop()
    to, done = backed.restore("--project", "shop")
    assert "no differences" in done.stdout
    left = {path.relative_to(to / "functions").parts[1].removesuffix(".json") for kind in ("deployments", "releases", "secrets")
            for path in (to / "functions" / kind).iterdir()}
    assert left == {"shop"}
    (to / "functions.key").write_bytes(secrets_key)
    with running(servers.Brasa(to, "--functions", environment=shared)) as server:
        assert Functions(server, "shop").call("greet", {"name": "Ana"}).json()["result"]["text"].endswith("Ana")
        assert Functions(server, "other").call("greet", {"name": "Ana"}).status_code == 404
