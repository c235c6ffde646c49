"""The folder of Firebase's emulators and Google's managed export: read, written, and read by Google's emulator."""

import base64
import hashlib
import json
import pathlib
import shutil

import pytest
import requests
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage

from support import clients, server as servers

pytestmark = pytest.mark.brasa_only

# Written by Google's emulators.
EXPORTS = pathlib.Path(__file__).parent.parent / "Fixtures" / "emulator-export"
TOKEN = "7e7e7e7e-0000-4000-8000-000000000000"
OWNER = {"Authorization": "Bearer owner"}


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A server for the tests of this module."""
    made = servers.Brasa(tmp_path_factory.mktemp("folder") / "data").start()
    yield made
    assert made.stop() == 0


def documents(server, project):
    """Every document of a project's default database, by its path."""
    url = f"{server.url}/v1/projects/{project}/databases/(default)/documents"
    found, collections = {}, [""]
    while collections:
        parent = collections.pop()
        ids = requests.post(f"{url}{parent}:listCollectionIds", json={}, headers=OWNER, timeout=30).json()
        for name in ids.get("collectionIds", []):
            page = requests.get(
                f"{url}{parent}/{name}?pageSize=300&showMissing=true", headers=OWNER, timeout=30
            ).json()
            assert "nextPageToken" not in page
            for one in page.get("documents", []):
                path = one["name"].split("/documents", 1)[1]
                collections.append(path)
                if "createTime" in one:
                    # The emulator writes 12.0 as 12.
                    fields = json.dumps(one.get("fields", {}), sort_keys=True).replace(".0}", "}")
                    found[path] = fields.replace(f"projects/{project}/", "projects/P/")
    return found


def imported(source, server, project, check=True):
    return servers.run("import", source, "--project", project, "--data", server.data, check=check)


def files_folder(target, objects, flat=True, **changes):
    """The emulators' folder with files alone; `flat` as newer emulators name them, else as older ones."""
    folder = target / "storage_export"
    buckets = sorted({bucket for bucket, _ in objects})
    folder.mkdir(parents=True)
    (folder / "buckets.json").write_text(json.dumps({"buckets": [{"id": name} for name in buckets]}))
    for number, ((bucket, name), content) in enumerate(objects.items()):
        place = f"{number:08x}-0000" if flat else f"{bucket}/" + requests.utils.quote(name, safe="")
        metadata = {
            "name": name, "bucket": bucket, "contentType": "image/jpeg", "metageneration": 2,
            "generation": 1795747881077, "storageClass": "STANDARD", "etag": "someETag",
            "contentDisposition": "inline", "cacheControl": "max-age=60", "contentEncoding": "identity",
            "customMetadata": {"of": "Ana"}, "timeCreated": "2026-11-27T12:31:21.077Z",
            "updated": "2026-11-27T12:31:21.079Z", "size": len(content),
            "md5Hash": base64.b64encode(hashlib.md5(content).digest()).decode(), "crc32c": "1234567",
            "downloadTokens": [TOKEN] if flat else TOKEN,
        } | changes
        for kind, data in [("blobs", content), ("metadata", json.dumps(metadata).encode())]:
            path = folder / kind / (place + (".json" if kind == "metadata" else ""))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    (target / "firebase-export-metadata.json").write_text(
        json.dumps({"version": "15.18.0", "storage": {"version": "15.18.0", "path": "storage_export"}})
    )
    return target


def bucket_of(server, project, name):
    return storage.Client(
        project=project, credentials=AnonymousCredentials(), client_options={"api_endpoint": server.url}
    ).bucket(name)


@pytest.mark.parametrize("flat", [True, False])
def test_files_are_read_with_their_metadata(running, project, tmp_path, flat):
    content = bytes(range(256)) * 5000
    objects = {
        ("demo-shop.appspot.com", "users/ana/ü ?.jpg"): content,
        ("demo-shop.appspot.com", "empty"): b"",
        (f"{project}-own", "a/b"): b"b",
    }
    folder = files_folder(tmp_path / "export", objects, flat)
    done = imported(folder, running, project)
    assert "files: 3 read, 3 stored" in done.stdout
    # The default bucket of the project that was exported becomes that of this one.
    default = bucket_of(running, project, f"{project}.appspot.com")
    blob = default.get_blob("users/ana/ü ?.jpg")
    assert blob.download_as_bytes() == content
    assert (blob.content_type, blob.cache_control, blob.content_encoding) == ("image/jpeg", "max-age=60", None)
    assert blob.metadata["of"] == "Ana" and blob.metageneration == 2
    assert blob.time_created.isoformat() == "2026-11-27T12:31:21.077000+00:00"
    assert default.get_blob("empty").size == 0
    assert bucket_of(running, project, f"{project}-own").get_blob("a/b").download_as_bytes() == b"b"
    link = f"{running.url}/v0/b/{project}.appspot.com/o/{requests.utils.quote(blob.name, safe='')}"
    shared = requests.get(f"{link}?alt=media&token={TOKEN}", timeout=30)
    assert shared.status_code == 200 and shared.content == content
    # Again: nothing is there twice.
    imported(folder, running, project)
    assert default.get_blob("users/ana/ü ?.jpg").generation == blob.generation


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"size": 7}, "its metadata says 7"),
        ({"md5Hash": "AAAAAAAAAAAAAAAAAAAAAA=="}, "damaged"),
        ({"name": ""}, "does not name an object"),
        ({"name": "a\nb"}, "object"),
        ({"contentType": 7}, "contentType"),
        ({"customMetadata": {"a": [1]}}, "metadata"),
        ({"storageClass": "GOLD"}, "GOLD"),
    ],
)
def test_a_file_that_cannot_be_stored_is_dropped_by_name(running, project, tmp_path, change, reason):
    folder = files_folder(tmp_path / "export", {("b-" + project, "bad"): b"123"}, **change)
    other = files_folder(tmp_path / "other", {("b-" + project, "good"): b"123"})
    for path in (other / "storage_export").rglob("0*"):
        target = folder / path.relative_to(other)
        shutil.copy(path, target.with_name("f" + path.name))
    done = imported(folder, running, project, check=False)
    assert done.returncode == 1 and reason in done.stdout, done.stdout + done.stderr
    assert "files: 2 read, 1 stored, 1 dropped" in done.stdout
    assert bucket_of(running, project, f"b-{project}").get_blob("good").download_as_bytes() == b"123"


def test_files_cannot_lead_out_of_the_folder(running, project, tmp_path):
    folder = files_folder(tmp_path / "export", {("b-" + project, "../../../../etc/x"): b"1", ("b-" + project, "link"): b"2"})
    parts = folder / "storage_export"
    (parts / "blobs" / "00000001-0000").unlink()
    (parts / "blobs" / "00000001-0000").symlink_to("/etc/passwd")
    metadata = json.loads((parts / "metadata" / "00000000-0000.json").read_text())
    (parts / "metadata" / "%2e%2e%2fbuckets.json.json").write_text(json.dumps(metadata | {"name": "slip"}))
    (parts / "metadata" / "broken.json").write_text("{")
    (parts / "metadata" / "readme.txt").write_text("no metadata")
    done = imported(folder, running, project, check=False)
    assert done.returncode == 1 and "root:" not in done.stdout + done.stderr
    for reason in ["is a link", "not in the export", "not a JSON object", "not the metadata of a file"]:
        assert reason in done.stdout, done.stdout
    assert "files: 5 read, 1 stored, 4 dropped" in done.stdout
    # The name is a name: it was no path here, and is none there.
    names = [blob.name for blob in bucket_of(running, project, f"b-{project}").list_blobs()]
    assert names == ["../../../../etc/x"]


def filled(server, project, tmp_path):
    """A project with what Google's emulators exported, a file, and an account with a hash of our own."""
    imported(EXPORTS, server, project)
    imported(files_folder(tmp_path / "files", {(f"{project}.appspot.com", "a/ü.txt"): b"text"}), server, project)
    copied = bucket_of(server, project, f"{project}.appspot.com")
    copied.copy_blob(copied.blob("a/ü.txt"), copied, "a/copy.txt")
    made = requests.post(
        f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:signUp?key={project}", timeout=30,
        json={"email": "bia@example.com", "password": "secret2", "returnSecureToken": True},
    )
    assert made.status_code == 200, made.text


def signs_in(server, project, email, password):
    done = requests.post(
        f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key={project}", timeout=30,
        json={"email": email, "password": password, "returnSecureToken": True},
    )
    return done.status_code == 200


def test_the_folder_that_is_written_is_read_again(running, project, tmp_path):
    filled(running, project, tmp_path)
    target = tmp_path / "written"
    done = servers.run("export", target, "--project", project, "--data", running.data, "--format", "firebase")
    assert "exported 39 documents" in done.stdout
    index = json.loads((target / "firebase-export-metadata.json").read_text())
    assert set(index) == {"version", "firestore", "auth", "storage"}
    assert (target / index["firestore"]["metadata_file"]).exists()
    for name in ["accounts.json", "passwords.json"]:
        assert (target / "auth_export" / name).stat().st_mode & 0o077 == 0
    copy = project + "-copy"
    done = imported(target, running, copy)
    assert "documents: 39 read, 39 stored" in done.stdout and "accounts: 2 read, 2 stored" in done.stdout
    assert "files: 2 read, 2 stored" in done.stdout
    assert documents(running, copy) == documents(running, project)
    assert len(documents(running, copy)) == 39
    assert signs_in(running, copy, "ana@example.com", "secret1") and signs_in(running, copy, "bia@example.com", "secret2")
    for name in ["a/ü.txt", "a/copy.txt"]:
        blob = bucket_of(running, copy, f"{copy}.appspot.com").get_blob(name)
        assert blob.download_as_bytes() == b"text" and blob.metadata["of"] == "Ana"
    again = servers.run("export", target, "--project", project, "--data", running.data, "--format", "firebase", check=False)
    assert again.returncode == 1 and "not empty" in again.stderr


def test_a_managed_export_of_ours_is_read_again(running, project, tmp_path):
    imported(EXPORTS / "firestore_export", running, project)
    target = tmp_path / "2026-11-27"
    servers.run("export", target, "--project", project, "--data", running.data, "--format", "managed")
    assert (target / "2026-11-27.overall_export_metadata").exists()
    copy = project + "-copy"
    assert "documents: 39 read, 39 stored" in imported(target, running, copy).stdout
    assert documents(running, copy) == documents(running, project)
    # Cut off, the index tells how many are missing.
    output = target / "all_namespaces" / "all_kinds" / "output-0"
    output.write_bytes(output.read_bytes()[:3000])
    done = imported(target, running, copy, check=False)
    assert done.returncode == 1 and "missing" in done.stdout


def test_accounts_that_cannot_be_taken_over_are_named(running, project, tmp_path):
    folder = tmp_path / "export"
    shutil.copytree(EXPORTS, folder)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    users = json.loads((folder / "auth_export" / "accounts.json").read_text())["users"]
    users += [{"localId": "bia", "passwordHash": "AAAA"}, {"email": "nobody@example.com"}]
    (folder / "auth_export" / "accounts.json").write_text(json.dumps({"users": users}))
    (folder / "auth_export" / "accounts-tenant1.json").write_text(json.dumps({"users": []}))
    done = imported(folder, running, project, check=False)
    assert done.returncode == 1
    for reason in ["bia: its passwordHash has no algorithm", "has no localId", "accounts-tenant1.json"]:
        assert reason in done.stdout
    assert "accounts: 4 read, 1 stored, 3 dropped" in done.stdout
    assert signs_in(running, project, "ana@example.com", "secret1")


@pytest.mark.skipif(not pathlib.Path(servers.EMULATOR_JAR).exists(), reason="Google's emulator is not installed")
def test_googles_emulator_reads_what_is_written(running, project, tmp_path):
    imported(EXPORTS, running, project)
    written = documents(running, project)
    for form, index in [("firebase", "written/firestore_export/firestore_export"), ("managed", "managed/managed")]:
        target = tmp_path / index.split("/")[0]
        servers.run("export", target, "--project", project, "--data", running.data, "--format", form)
        emulator = servers.Emulator(f"--seed_from_export={tmp_path / index}.overall_export_metadata")
        emulator.start()
        try:
            assert documents(emulator, project) == written, form
        finally:
            emulator.kill()


def test_a_development_server_reads_and_writes_a_folder(tmp_path):
    folder = tmp_path / "seed"
    first = servers.Brasa(tmp_path / "first", "--import", EXPORTS, "--export-on-exit", folder).start()
    try:
        assert documents(first, "demo-shop")["/products/table"]
        clients.connect(first, "demo-shop").document("products/new").set({"n": 1})
    finally:
        assert first.stop() == 0
    assert "exported" in first.output
    # The folder is replaced when it is whole; another folder is not.
    second = servers.Brasa(tmp_path / "second", "--import", folder, "--export-on-exit").start()
    try:
        assert documents(second, "demo-shop")["/products/new"] == '{"n": {"integerValue": "1"}}'
        assert signs_in(second, "demo-shop", "ana@example.com", "secret1")
        clients.connect(second, "demo-shop").document("products/new").delete()
    finally:
        assert second.stop() == 0
    third = servers.Brasa(tmp_path / "third", "--import", folder).start()
    try:
        assert "/products/new" not in documents(third, "demo-shop") and len(documents(third, "demo-shop")) == 39
    finally:
        assert third.stop() == 0


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (["--import", "{exports}"], "--dev"),
        (["--dev", "--export-on-exit"], "Name the folder"),
        (["--dev", "--import", "{nothing}"], "not an export of the emulators"),
        (["--dev", "--export-on-exit", "{other}"], "other files"),
    ],
)
def test_folders_that_cannot_be_meant_are_refused(tmp_path, arguments, reason):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "precious").write_text("1")
    names = {"exports": EXPORTS, "nothing": tmp_path / "nothing", "other": tmp_path / "other"}
    arguments = [argument.format(**names) for argument in arguments]
    done = servers.run("serve", "--port", "0", "--data", tmp_path / "data", *arguments, check=False)
    assert done.returncode == 1 and reason in done.stderr, done.stderr
    assert (tmp_path / "other" / "precious").exists() and not (tmp_path / "data").exists()
