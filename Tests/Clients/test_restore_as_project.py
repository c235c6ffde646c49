"""One project of a backup as a new project of the running server: all that it has, or a refusal, and no copy left behind."""

import contextlib
import json
import signal
import subprocess

import pytest
from support import clients, firebase_storage as firebase, server as servers
from support.administrators import timed_code
from support.identity import Identity
from support.whole_project import PASSWORD, Project
from test_backup import Backed, key, running  # noqa: F401
from test_backup_parts import version_of
from test_restore_cut_off import scratch
from test_restore_project import bucket, events, fill

pytestmark = pytest.mark.brasa_only


def command(backed, source, target, *more):
    flags = ["--from", backed.target, "--backup-key", backed.key, "--data", backed.server.data]
    return ["restore", *flags, "--project", source, "--as-project", target, *more]


def references(server, project, database, path):
    """The references in a document's fields, as REST has them."""
    fields = Project(server, project).send("GET", f"/v1/projects/{project}/databases/{database}/documents/{path}")["fields"]
    return {name: value["referenceValue"] for name, value in fields.items() if "referenceValue" in value}


def names(server, project):
    """The ids of a collection's documents; Google's client reads no references into other databases."""
    found = Project(server, project).send("GET", f"/v1/projects/{project}/databases/(default)/documents/d")
    return {one["name"].rsplit("/", 1)[1] for one in found["documents"]}


def test_a_project_becomes_a_new_one_beside_itself(tmp_path, key):
    backed = Backed(tmp_path, key)
    with running(backed.server) as server, contextlib.closing(clients.connect(server, "shop")) as client:
        backed.wait()
        shop = Project(server, "shop")
        servers.run("databases", "create", "archive", "--project", "shop", "--data", server.data)
        root = "projects/shop/databases"
        shop.write("d/1", {
            "own": {"referenceValue": f"{root}/(default)/documents/d/2"}, "sibling": {"referenceValue": f"{root}/archive/documents/a/b"},
            "elsewhere": {"referenceValue": "projects/other/databases/(default)/documents/a/b"},
        })
        shop.write("a/b", {"back": {"referenceValue": f"{root}/(default)/documents/d/1"}}, "archive")
        Identity(server, "shop").client("signUp", email="ana@example.com", password=PASSWORD)
        assert firebase.Storage(server, bucket("shop"), "owner").upload("a", b"bytes").status_code == 200
        last = client.document("d/2").set({"n": 1}).update_time
        client.document("d/2").delete()
        client.document("d/later").set({"n": 1})
        backed.wait()
        done = servers.run(*command(backed, "shop", "shop-before", "--before-commit", version_of(last) + 1))
        assert done.stdout.splitlines()[-1] == "restored the project shop as shop-before", done.stdout
        assert "no differences" in done.stdout and "accounts: 1 read, 1 stored" in done.stdout and "Not restored: sites" in done.stdout
        assert names(server, "shop-before") == {"1", "2"}
        new = "projects/shop-before/databases"
        assert references(server, "shop-before", "(default)", "d/1") == {
            "own": f"{new}/(default)/documents/d/2", "sibling": f"{new}/archive/documents/a/b",
            "elsewhere": "projects/other/databases/(default)/documents/a/b"}
        assert references(server, "shop-before", "archive", "a/b") == {"back": f"{new}/(default)/documents/d/1"}
        assert Project(server, "shop-before").sign_in("ana@example.com")["idToken"]
        assert firebase.Storage(server, bucket("shop-before"), "owner").download("a").content == b"bytes"
        # The project itself is as it was.
        assert names(server, "shop") == {"1", "later"}
        # What exists is not touched.
        refused = servers.run(*command(backed, "shop", "shop-before"), check=False)
        assert refused.returncode == 1 and "The server has a project shop-before already. Name another id" in refused.stderr
        assert not scratch(server) and not list(server.data.glob("restore-of-*"))


def moved(everything, source, target):
    """What a project has, with its names in the place of another's."""
    text = json.dumps(everything, sort_keys=True).replace(f"projects/{source}/", f"projects/{target}/")
    # Domains that every project has.
    return json.loads(text.replace(f'"{source}.firebaseapp.com"', f'"{target}.firebaseapp.com"').replace(f'"{source}.web.app"', f'"{target}.web.app"'))


def comparable(everything):
    """Without the one text that is no reference, and is not moved."""
    for fields in everything["documents"].values():
        if "map" in fields:
            fields["map"]["mapValue"]["fields"].pop("text")
    return everything


@pytest.mark.slow
def test_a_new_project_has_all_that_the_restored_one_had(tmp_path, key):
    backed = Backed(tmp_path, key)
    with running(backed.server) as server:
        backed.wait()
        shop = fill(server, "shop", "pelican", tmp_path)
        expected = shop.everything()
        backed.wait()
        server.kill()
    other = servers.Brasa(tmp_path / "other")
    with running(other) as server:
        backed.server = server
        Project(server, "somebody").write("d/1", {})
        done = servers.run(*command(backed, "shop", "branch"))
        assert "restored the project shop as branch" in done.stdout, done.stdout
        # What the backup does not have makes nothing.
        for source, target, text in (("nobody", "new", "The backup has no project nobody"), ("shop", "a b", "Invalid project id")):
            refused = servers.run(*command(backed, source, target), check=False)
            assert refused.returncode == 1 and text in refused.stderr, refused.stderr
        assert "projects/new/" not in servers.run("databases", "list", "--data", server.data).stdout and not scratch(server)
        branch = Project(server, "branch")
        found, expected = comparable(moved(branch.everything(), "branch", "branch")), comparable(moved(expected, "shop", "branch"))
        for kind, value in expected.items():
            assert found[kind] == value, kind
        storage = firebase.Storage(server, bucket("branch"), "owner")
        assert storage.download("large").content == shop.large and storage.download("small").content == b"pelican"
        old = branch.send("GET", "/v1/projects/branch/databases/archive/documents/old/a")
        assert old["fields"] == {"text": {"stringValue": "pelican"}}
        assert branch.sign_in("caio@example.com")["idToken"]
        pending = branch.sign_in("ana@example.com")
        assert "idToken" not in pending
        assert branch.second_factor(pending, timed_code(shop.secret, 1))["idToken"]
        assert b"pelican" in events(server, "branch", tmp_path / "export")
        assert "no differences" in servers.run("verify", "--data", server.data).stdout


@pytest.mark.slow
def test_a_killed_restore_leaves_no_copy_and_goes_on_when_it_is_repeated(tmp_path, key):
    backed = Backed(tmp_path, key)
    with running(backed.server) as server:
        with contextlib.closing(clients.connect(server, "shop")) as client:
            for start in range(0, 4_000, 400):
                batch = client.batch()
                for number in range(start, start + 400):
                    batch.set(client.document(f"d/{number}"), {"n": number, "text": "x" * 500})
                batch.commit()
        Identity(server, "shop").client("signUp", email="ana@example.com", password=PASSWORD)
        backed.wait()
        arguments = command(backed, "shop", "branch")

        def started():
            made = [servers.binary(), *arguments]
            return subprocess.Popen(list(map(str, made)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

        def no_copy():
            servers.wait_for(lambda: not scratch(server), "the removal of the copy")

        def exists():
            return "projects/branch/" in servers.run("databases", "list", "--data", server.data).stdout

        # While it reads the backup: nothing was made.
        process = started()
        servers.wait_for(lambda: [path for path in scratch(server) if (path / "store").exists()], "the copy")
        process.send_signal(signal.SIGSTOP)
        second = servers.run(*arguments, check=False)
        assert second.returncode == 1 and "Another command restores a project" in second.stderr, second.stderr
        assert scratch(server)
        process.kill()
        process.communicate()
        no_copy()
        assert not exists()
        # While it writes.
        process = started()
        servers.wait_for(exists, "the new project")
        process.kill()
        said = process.communicate()[0]
        no_copy()
        [note] = server.data.glob("restore-of-*")
        version = json.loads(note.read_text())["version"] + 1
        # Pipes have no terminal, whose lines come one by one.
        assert not said or f"--before-commit {version}" in said
        # Another state of the project, or another project, is not mixed with it.
        with contextlib.closing(clients.connect(server, "shop")) as client:
            client.document("d/later").set({"n": 1})
        backed.wait()
        refused = servers.run(*arguments, check=False)
        assert refused.returncode == 1 and f"Go on with --project shop --before-commit {version}" in refused.stderr
        done = servers.run(*arguments, "--before-commit", version)
        assert "goes on with the restore that was cut off" in done.stdout
        with contextlib.closing(clients.connect(server, "branch")) as made:
            assert made.collection("d").count().get()[0][0].value == 4_000
        assert Project(server, "branch").sign_in("ana@example.com")["idToken"]
        assert not list(server.data.glob("restore-of-*"))
        assert "no differences" in servers.run("verify", "--data", server.data).stdout
