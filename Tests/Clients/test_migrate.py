"""`brasa migrate firebase`, from one server to another."""

import json
import os
import signal
import subprocess

import pytest
import requests
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage

from support import clients, server as servers

pytestmark = pytest.mark.brasa_only

OWNER = {"Authorization": "Bearer owner"}
TOKEN = "7e7e7e7e-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    made = servers.Brasa(tmp_path_factory.mktemp("source") / "data").start()
    yield made
    assert made.stop() == 0


def fill(server, project, count=300):
    """Documents in several collections, below missing parents too, with references."""
    client = clients.connect(server, project)
    batch = client.batch()
    for number in range(count):
        group = ["products", "users", "orders"][number % 3]
        batch.set(client.document(f"{group}/{number:05}"), {"n": number, "of": client.document("users/00001"), "text": "ç" * (number % 50)})
        if number % 10 == 0:
            batch.set(client.document(f"missing/{number}/lines/a"), {"list": [{"at": client.document(f"{group}/1")}], "none": None})
        if number % 200 == 199:
            batch.commit()
            batch = client.batch()
    batch.commit()
    return client


def documents(server, project):
    """Every document of a project by its path, its own project's name replaced."""
    found = {}
    body = {"structuredQuery": {"from": [{"allDescendants": True}]}}
    url = f"{server.url}/v1/projects/{project}/databases/(default)/documents:runQuery"
    for row in requests.post(url, json=body, headers=OWNER, timeout=60).json():
        if "document" in row:
            text = json.dumps(row["document"].get("fields", {}), sort_keys=True).replace(f"projects/{project}/", "projects/P/")
            found[row["document"]["name"].split("/documents/")[1]] = text
    return found


def arguments(source, target, project, copy, tmp_path, *more):
    return [
        "migrate", "firebase", "--origin", source.url, "--source-project", project, "--project", copy, "--data", target.data,
        "--plan", tmp_path / "plan.json", *more,
    ]


def migrate(*given, check=True):
    return servers.run(*arguments(*given), check=check)


def signs_in(server, project, email, password):
    done = requests.post(
        f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key={project}", timeout=30,
        json={"email": email, "password": password, "returnSecureToken": True},
    )
    return done.status_code == 200


def test_a_whole_project_is_copied(source, server, project, tmp_path):
    fill(source, project)
    for email, password in [("ana@example.com", "secret1"), ("bia@example.com", "secret2")]:
        requests.post(
            f"{source.url}/identitytoolkit.googleapis.com/v1/accounts:signUp?key={project}", timeout=30,
            json={"email": email, "password": password, "returnSecureToken": True},
        ).raise_for_status()
    files = storage.Client(project=project, credentials=AnonymousCredentials(), client_options={"api_endpoint": source.url})
    blob = files.bucket(f"{project}.appspot.com").blob("users/ana/ü ?.txt")
    blob.metadata = {"firebaseStorageDownloadTokens": TOKEN, "of": "Ana"}
    blob.upload_from_string(b"text" * 100_000, content_type="text/x-own")
    rules = 'rules_version = "2"; service cloud.firestore { match /databases/{d}/documents { match /{p=**} { allow read; } } }'
    (tmp_path / "firestore.rules").write_text(rules)
    servers.run("rules", "deploy", tmp_path / "firestore.rules", "--project", project, "--data", source.data)
    indexes = {"indexes": [{"collectionGroup": "products", "queryScope": "COLLECTION", "fields": [
        {"fieldPath": "n", "order": "ASCENDING"}, {"fieldPath": "text", "order": "DESCENDING"}]}],
        "fieldOverrides": [{"collectionGroup": "users", "fieldPath": "secret", "indexes": []}]}
    (tmp_path / "indexes.json").write_text(json.dumps(indexes))
    servers.run("indexes", "apply", tmp_path / "indexes.json", "--project", project, "--data", source.data)
    copy = project + "-copy"
    done = migrate(source, server, project, copy, tmp_path)
    for text in ["documents: 330 read, 0 dropped", "330 documents are equal on both sides", "accounts: 2 read, 2 stored",
                 "files: 1 read, 1 stored", "rules: cloud.firestore", "indexes: 2 declared", "config: none"]:
        assert text in done.stdout, done.stdout
    assert documents(server, copy) == documents(source, project) and len(documents(server, copy)) == 330
    assert signs_in(server, copy, "ana@example.com", "secret1") and signs_in(server, copy, "bia@example.com", "secret2")
    name = requests.utils.quote("users/ana/ü ?.txt", safe="")
    shared = requests.get(f"{server.url}/v0/b/{copy}.appspot.com/o/{name}?alt=media&token={TOKEN}", timeout=30)
    assert shared.content == b"text" * 100_000 and shared.headers["content-type"] == "text/x-own"
    assert "allow read" in servers.run("rules", "show", "--project", copy, "--data", server.data).stdout
    listed = servers.run("indexes", "list", "--project", copy, "--data", server.data).stdout
    assert "n ASCENDING" in listed or "n asc" in listed.lower(), listed
    # Again: nothing is left to copy, and both sides are compared.
    again = migrate(source, server, project, copy, tmp_path)
    assert "accounts: copied before" in again.stdout and "330 documents are equal" in again.stdout


def test_several_databases_apps_and_named_buckets(source, server, project, tmp_path):
    copy = project + "-copy"
    for database, count in (("(default)", 30), ("stock", 60), ("archive", 0)):
        if database != "(default)":
            servers.run("databases", "create", database, "--project", project, "--data", source.data)
        client = clients.connect(source, project, database)
        for number in range(count):
            client.document(f"{database.strip('()')}/{number}").set({"n": number, "at": client.document("a/b")})
    indexes = {"indexes": [{"collectionGroup": "stock", "queryScope": "COLLECTION", "fields": [
        {"fieldPath": "n", "order": "ASCENDING"}, {"fieldPath": "at", "order": "DESCENDING"}]}], "fieldOverrides": []}
    (tmp_path / "indexes.json").write_text(json.dumps(indexes))
    servers.run("indexes", "apply", tmp_path / "indexes.json", "--project", project, "--database", "stock", "--data", source.data)
    fingerprint = ":".join(["AB"] * 32)
    for words in (
        ["ios", "--bundle-id", "com.example.shop", "--name", "Shop", "--team-id", "A1B2C3D4E5"],
        ["android", "--bundle-id", "com.example.shop", "--sha256", fingerprint], ["web", "--name", "Shop on the web"], ["web", "--name", "Admin"],
    ):
        servers.run("apps", "create", *words, "--project", project, "--data", source.data)
    files = storage.Client(project=project, credentials=AnonymousCredentials(), client_options={"api_endpoint": source.url})
    named = [f"{project}-photos", f"{project}-taken", f"{project}.appspot.com"]
    for name in named:
        bucket = files.bucket(name)
        if not name.endswith(".appspot.com"):
            bucket.cors = [{"origin": ["https://shop.example"], "method": ["GET"], "maxAgeSeconds": 60}]
            bucket.versioning_enabled = True
            bucket.create()
        bucket.blob("a/b.txt").upload_from_string(f"of {name}")
    other = storage.Client(project="somebody", credentials=AnonymousCredentials(), client_options={"api_endpoint": server.url})
    other.create_bucket(f"{project}-taken")
    # A bucket of that name is another project's here: nothing is put there, and everything else is copied.
    done = migrate(source, server, project, copy, tmp_path, check=False)
    assert done.returncode == 1 and f"{project}-taken with all its files" in done.stdout and "--bucket" in done.stdout, done.stdout
    assert [one.name for one in other.list_blobs(f"{project}-taken")] == []
    done = migrate(source, server, project, copy, tmp_path, "--bucket", f"{project}-taken={project}-mine")
    for text in ["documents: 30 read, 0 dropped", "documents of stock: 60 read", "documents of archive: 0 read", "apps: copied before",
                 "compared of stock: 60 documents are equal on both sides", "indexes of stock: copied before"]:
        assert text in done.stdout, done.stdout
    here = clients.connect(server, copy, "stock")
    assert len(list(here.collection("stock").stream())) == 60
    assert here.document("stock/7").get().get("at")._document_path.startswith(f"projects/{copy}/databases/stock/")
    assert len(list(clients.connect(server, copy).collection("default").stream())) == 30
    listed = servers.run("indexes", "list", "--project", copy, "--database", "stock", "--data", server.data).stdout
    assert "stock" in listed
    apps = servers.run("apps", "list", "--project", copy, "--data", server.data).stdout.splitlines()
    assert sorted(line.split("  ", 1)[1] for line in apps) == [
        "android  com.example.shop", "ios  com.example.shop  Shop", "web  Admin", "web  Shop on the web"]
    android = next(line.split()[0] for line in apps if "  android" in line)
    config = requests.get(f"{server.url}/v1beta1/projects/{copy}/androidApps/{android}/sha", headers=OWNER, timeout=30).json()
    assert config["certificates"][0]["shaHash"] == "ab" * 32
    mine = storage.Client(project=copy, credentials=AnonymousCredentials(), client_options={"api_endpoint": server.url})
    for there, name in zip(named, (f"{project}-photos", f"{project}-mine", f"{copy}.appspot.com")):
        assert mine.bucket(name).blob("a/b.txt").download_as_text() == f"of {there}"
    photos = mine.get_bucket(f"{project}-photos")
    assert photos.cors[0]["origin"] == ["https://shop.example"] and photos.versioning_enabled
    # One database alone, under another id.
    alone = ["--source-database", "stock", "--database", "copied", "--exclude", "files", "--plan", tmp_path / "alone.json"]
    done = migrate(source, server, project, copy, tmp_path, *alone)
    assert "compared: 60 documents are equal" in done.stdout and "archive" not in done.stdout


def test_a_migration_that_is_killed_goes_on_where_it_was(source, server, project, tmp_path):
    fill(source, project, count=1_200)
    copy = project + "-copy"
    command = [str(part) for part in [servers.binary(), *arguments(source, server, project, copy, tmp_path, "--parallel", "1")]]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=servers.clean_environment())
    plan = tmp_path / "plan.json"
    def stored():
        try:
            return sum(part["count"] for part in json.loads(plan.read_text())["parts"])
        except (OSError, ValueError):
            return 0
    servers.wait_for(lambda: stored() > 0 or running.poll() is not None, "a part that is stored")
    running.kill()
    running.communicate()
    before = stored()
    assert 0 < before
    done = migrate(source, server, project, copy, tmp_path)
    # The plan counts each document once: those before the kill were not copied again.
    assert "documents: 1320 read, 0 dropped" in done.stdout and "1320 documents are equal" in done.stdout
    assert documents(server, copy) == documents(source, project)


def test_changes_are_followed_until_the_switch(source, server, project, tmp_path):
    client = fill(source, project)
    copy = project + "-copy"
    command = [str(part) for part in [servers.binary(), *arguments(source, server, project, copy, tmp_path, "--follow")]]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=servers.clean_environment())
    try:
        target = clients.connect(server, copy)
        servers.wait_for(lambda: target.document("products/00003").get().exists or running.poll() is not None, "the copy")
        client.document("products/00003").update({"n": -1})
        client.document("users/00004").delete()
        client.document("orders/new").set({"n": 7})
        client.document("missing/7/lines/b").set({"deep": True})
        servers.wait_for(lambda: target.document("products/00003").get().get("n") == -1, "a change")
        servers.wait_for(lambda: not target.document("users/00004").get().exists, "a deletion")
        servers.wait_for(lambda: target.document("orders/new").get().exists, "a new document")
        servers.wait_for(lambda: target.document("missing/7/lines/b").get().exists, "a document below a missing one")
        running.send_signal(signal.SIGINT)
        output, _ = running.communicate(timeout=60)
        assert running.returncode == 0 and "331 documents are equal on both sides" in output, output
    finally:
        running.kill()
    assert documents(server, copy) == documents(source, project)


def test_the_key_of_a_service_account_opens_the_source(source, server, project, tmp_path):
    fill(source, project, count=30)
    servers.run(
        "keys", "create", "mover", "--role", "admin", "--project", project, "--origin", source.url, "--data", source.data,
        "--out", tmp_path / "key.json",
    )
    copy = project + "-copy"
    done = migrate(source, server, project, copy, tmp_path, "--key", tmp_path / "key.json", "--exclude", "accounts")
    assert "33 documents are equal" in done.stdout and "accounts" not in done.stdout
    key = json.loads((tmp_path / "key.json").read_text())
    servers.run("keys", "revoke", key["client_email"], "--data", source.data)
    (tmp_path / "plan.json").unlink()
    refused = migrate(source, server, project, copy, tmp_path, "--key", tmp_path / "key.json", check=False)
    assert refused.returncode == 1 and "The source refuses the key" in refused.stderr


def test_a_difference_is_told(source, server, project, tmp_path):
    client = fill(source, project, count=30)
    copy = project + "-copy"
    migrate(source, server, project, copy, tmp_path)
    client.document("products/00000").update({"n": 5})
    client.document("users/new").set({})
    done = migrate(source, server, project, copy, tmp_path, check=False)
    assert done.returncode == 1 and "products: 10 documents on both sides, with other contents" in done.stdout
    assert "users: 11 documents at the source, 10 here" in done.stdout


def test_what_cannot_be_meant_is_refused(source, server, project, tmp_path):
    copy = project + "-copy"
    def said(*more, given=None):
        done = servers.run(*(given or arguments(source, server, project, copy, tmp_path, *more)), check=False)
        assert done.returncode != 0, done.stdout
        return done.stderr
    assert "--exclude must be one of" in said("--exclude", "all")
    assert "--parallel must be between" in said("--parallel", "0")
    assert "--key" in said(given=["migrate", "firebase", "--project", copy, "--data", server.data])
    assert "No server uses" in said("--data", tmp_path)
    (tmp_path / "key.json").write_text("{}")
    assert "is not the key file" in said("--key", tmp_path / "key.json")
    (tmp_path / "plan.json").write_text("{}")
    assert "not the plan of a migration" in said()
    os.remove(tmp_path / "plan.json")
    gone = ["migrate", "firebase", "--origin", "http://127.0.0.1:9", "--project", copy, "--data", server.data, "--plan", tmp_path / "p"]
    assert "can't be reached" in said(given=gone)
