"""Export, import and verification of files: bytes, metadata, generations, versions, tokens."""

import json
import os
import shutil
import signal
import subprocess

import boto3
import pytest
from botocore.config import Config
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage

from support import clients, secrets, server as servers

pytestmark = pytest.mark.brasa_only

BUCKET = "shop.appspot.com"


def client(running):
    return storage.Client(
        project="shop", credentials=AnonymousCredentials(),
        client_options={"api_endpoint": f"http://{running.host}"},
    )


def everything(running):
    """What a client can know of the project's files, but for the times of buckets."""
    known = {}
    for bucket in client(running).list_buckets():
        known[bucket.name] = (bucket.versioning_enabled, list(bucket.lifecycle_rules), bucket.labels)
        for blob in bucket.list_blobs(versions=True):
            content = blob.download_as_bytes(raw_download=True)
            shown = {key: value for key, value in blob._properties.items() if not key.endswith("Link")}
            known[bucket.name, blob.name, blob.generation] = (content, shown)
    return known


@pytest.fixture
def filled(tmp_path):
    running = servers.Brasa(tmp_path / "data").start()
    # An export is of a database too.
    clients.connect(running, "shop").document("c/first").set({"n": 1})
    bucket = client(running).create_bucket(BUCKET)
    for name, size in {"empty": 0, "users/ana/ü ?.jpg": 40_000, "big": (3 << 20) + 7}.items():
        bucket.blob(name).upload_from_string(os.urandom(size), content_type="image/jpeg")
    blob = bucket.blob("users/ana/ü ?.jpg")
    blob.metadata = {"of": "Ana", "firebaseStorageDownloadTokens": "7e7e7e7e-0000-4000-8000-000000000000"}
    blob.cache_control = "max-age=60"
    blob.patch()
    for number in range(3):
        bucket.copy_blob(bucket.blob("big"), bucket, f"copies/{number}")
    kept = client(running).create_bucket("kept-shop-files")
    kept.versioning_enabled = True
    kept.labels = {"team": "photos"}
    kept.add_lifecycle_delete_rule(number_of_newer_versions=9)
    kept.patch()
    for number in range(3):
        kept.blob("again").upload_from_string(f"version {number}")
    yield running
    if running.is_running:
        assert running.stop() == 0


def export(running, target, *more):
    return servers.run("export", target, "--project", "shop", "--data", running.data, *more)


def imported(target, data, *more, check=True):
    return servers.run("import", target, "--project", "shop", "--data", data, *more, check=check)


@pytest.mark.parametrize("at_rest", [False, True])
def test_files_come_back_as_they_were(filled, tmp_path, at_rest):
    before = everything(filled)
    if at_rest:
        assert filled.stop() == 0
    done = export(filled, tmp_path / "backup", "--include", "files")
    assert "exported 9 files" in done.stdout
    # Bytes that several objects share are there once.
    contents = [path for path in (tmp_path / "backup/files/content").rglob("*") if path.is_file()]
    assert len(contents) == 6
    other = servers.Brasa(tmp_path / "other").start()
    try:
        clients.connect(other, "shop").document("c/first").set({"n": 1})
        if at_rest:
            assert other.stop() == 0
        assert "imported 9 files" in imported(tmp_path / "backup", other.data, "--include", "files").stdout
        if at_rest:
            other.start()
        assert everything(other) == before
        # Again: nothing is there twice.
        imported(tmp_path / "backup", other.data, "--include", "all")
        assert everything(other) == before
        blobs = [path for path in (other.data / "files/finished").rglob("*") if path.is_file()]
        # The four small ones are in the store.
        assert len(blobs) == 2
        servers.run("verify", "--data", other.data)
    finally:
        assert other.stop() == 0


def test_what_is_there_gives_way_and_generations_rise(filled, tmp_path):
    export(filled, tmp_path / "backup", "--include", "files")
    bucket = client(filled).bucket(BUCKET)
    old = bucket.get_blob("empty").generation
    bucket.blob("empty").upload_from_string(b"newer")
    newer = bucket.get_blob("empty").generation
    bucket.blob("mine").upload_from_string(b"stays")
    imported(tmp_path / "backup", filled.data, "--include", "files")
    now = bucket.get_blob("empty")
    assert old < newer < now.generation and now.download_as_bytes() == b""
    assert bucket.blob("mine").download_as_bytes() == b"stays"
    servers.run("verify", "--data", filled.data)


def test_an_import_that_was_cut_off_is_begun_again(filled, tmp_path):
    before = everything(filled)
    export(filled, tmp_path / "backup", "--include", "files")
    content = max((tmp_path / "backup/files/content").rglob("*"), key=lambda path: path.stat().st_size)
    shutil.move(content, tmp_path / "aside")
    other = servers.Brasa(tmp_path / "other").start()
    try:
        cut = imported(tmp_path / "backup", other.data, "--include", "files", check=False)
        assert cut.returncode != 0 and "is missing" in cut.stderr
        (content).write_bytes((tmp_path / "aside").read_bytes()[:-1] + b"?")
        damaged = imported(tmp_path / "backup", other.data, "--include", "files", check=False)
        assert damaged.returncode != 0 and "differ from the exported ones" in damaged.stdout + damaged.stderr, damaged.stdout
        shutil.move(tmp_path / "aside", content)
        imported(tmp_path / "backup", other.data, "--include", "files")
        assert everything(other) == before
        servers.run("verify", "--data", other.data)
    finally:
        assert other.stop() == 0


def test_documents_are_imported_at_rest_where_their_database_is_not_yet(filled, tmp_path):
    export(filled, tmp_path / "backup")
    other = servers.Brasa(tmp_path / "other").start()
    try:
        assert other.stop() == 0
        assert "1 document" in imported(tmp_path / "backup", other.data).stdout
        other.start()
        assert clients.connect(other, "shop").document("c/first").get().to_dict() == {"n": 1}
    finally:
        assert other.stop() == 0


def test_files_can_be_left_out(filled, tmp_path):
    export(filled, tmp_path / "none")
    assert not (tmp_path / "none/files").exists()
    export(filled, tmp_path / "less", "--include", "all", "--exclude", "files")
    assert not (tmp_path / "less/files").exists() and (tmp_path / "less/rules").exists()
    export(filled, tmp_path / "all", "--include", "all")
    lines = (tmp_path / "all/files" / f"objects.{BUCKET.replace('.', '%2E')}.jsonl").read_text().splitlines()
    assert len(lines) == 6 and {json.loads(line)["object"]["bucket"] for line in lines} == {BUCKET}
    other = servers.Brasa(tmp_path / "other").start()
    try:
        imported(tmp_path / "all", other.data, "--include", "all", "--exclude", "files")
        assert everything(other) == {}
    finally:
        assert other.stop() == 0


def test_objects_are_copied_and_renamed_during_an_export(tmp_path):
    """The same bytes come twice then: the first that has them was alone when it was read."""
    running, other = servers.Brasa(tmp_path / "data").start(), servers.Brasa(tmp_path / "other").start()
    try:
        clients.connect(running, "shop").document("c/first").set({"n": 1})
        bucket = client(running).create_bucket(BUCKET)
        # More than a batch of objects, and than what waits between the server and the command.
        for number in range(80):
            bucket.blob(f"m{number:02}").upload_from_string(os.urandom(128 << 10))
        for attempt in range(10):
            target = tmp_path / f"backup-{attempt}"
            said = export_with_changes(running, bucket, target)
            # An export that was as good as over when it was stopped proves nothing.
            if "exported 83 files" in said:
                break
        else:
            pytest.fail(f"never in the middle of an export: {said}")
        contents = [path.name for path in (target / "files/content").rglob("*") if path.is_file()]
        assert len(contents) == 81 and not any(name.endswith(".part") for name in contents)
        imported(target, other.data, "--include", "files")
        for name in ("0", "zz", "zzz"):
            assert client(other).bucket(BUCKET).blob(name).download_as_bytes() == b"first"
        servers.run("verify", "--data", other.data)
    finally:
        assert running.stop() == other.stop() == 0


def export_with_changes(running, bucket, target):
    """What an export says during which its first object is copied behind all others and renamed."""
    for name in ("zz", "zzz"):
        if old := bucket.get_blob(name):
            old.delete()
    first = bucket.blob("0")
    first.upload_from_string(b"first")
    command = [servers.binary(), "export", target, "--project", "shop", "--data", running.data, "--include", "files"]
    export = subprocess.Popen(
        [str(part) for part in command], env=servers.clean_environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    try:
        while export.poll() is None and not any((target / "files/content").glob("*/*")):
            pass
        export.send_signal(signal.SIGSTOP)
        bucket.copy_blob(first, bucket, "zz")
        bucket.rename_blob(first, "zzz")
        export.send_signal(signal.SIGCONT)
        said, _ = export.communicate(timeout=120)
    finally:
        export.kill()
    assert export.returncode == 0, said
    return said


def test_an_object_that_is_held_does_not_keep_others_from_coming(filled, tmp_path):
    before = everything(filled)
    export(filled, tmp_path / "backup", "--include", "files")
    bucket = client(filled).bucket(BUCKET)

    def hold(value):
        blob = bucket.get_blob("big")
        blob.temporary_hold = value
        blob.patch()

    hold(True)
    for number in (0, 2):
        bucket.blob(f"copies/{number}").delete()
    done = imported(tmp_path / "backup", filled.data, "--include", "files", check=False)
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert f"{BUCKET}/big: " in said and "under active hold" in said
    assert f"{BUCKET}/copies/0: its bytes belong to an object that was refused." in said
    assert "imported 7 files" in said
    # What is there already has the same bytes.
    assert bucket.blob("copies/2").download_as_bytes() == bucket.blob("big").download_as_bytes()
    assert not bucket.blob("copies/0").exists()
    hold(False)
    assert "imported 9 files" in imported(tmp_path / "backup", filled.data, "--include", "files").stdout
    assert everything(filled) == before
    servers.run("verify", "--data", filled.data)


def blob_of(running, size):
    found = (path for path in (running.data / "files/finished").rglob("*") if path.is_file())
    return next(path for path in found if path.stat().st_size == size)


def test_a_sample_checks_a_share_and_every_size(filled):
    whole = servers.run("verify", "--data", filled.data)
    assert "9 files" in whole.stdout and "no differences" in whole.stdout
    assert "no differences" in servers.run("verify", "--sample", "1000000", "--data", filled.data).stdout
    file = blob_of(filled, 40_000)
    data = file.read_bytes()
    file.write_bytes(data[:100] + bytes([data[100] ^ 1]) + data[101:])
    flipped = servers.run("verify", "--sample", "1", "--data", filled.data, check=False)
    assert flipped.returncode == 1 and "another CRC32C" in flipped.stdout
    file.write_bytes(data[:-1])
    short = servers.run("verify", "--sample", "1000000", "--data", filled.data, check=False)
    assert short.returncode == 1 and "39999 bytes are stored, 40000 were uploaded" in short.stdout
    export_of_it = servers.run("export", filled.data.parent / "bad", "--project", "shop", "--include", "files",
                               "--data", filled.data, check=False)
    assert export_of_it.returncode != 0 and export_of_it.stderr
    assert servers.run("verify", "--sample", "0", "--data", filled.data, check=False).returncode == 64


def test_hmac_keys_are_exported_where_they_are_named(filled, tmp_path):
    shop = client(filled)
    made = [shop.create_hmac_key(service_account_email="backend@shop.iam.brasa") for _ in range(3)]
    for _, secret in made:
        secrets.note(secret, "an HMAC key")
    made[1][0].state = made[2][0].state = "INACTIVE"
    made[1][0].update()
    made[2][0].update()
    made[2][0].delete()
    export(filled, tmp_path / "all", "--include", "all")
    assert not (tmp_path / "all/hmac-keys").exists()
    done = export(filled, tmp_path / "backup", "--include", "hmac-keys")
    assert "exported 2 HMAC keys" in done.stdout
    lines = (tmp_path / "backup/hmac-keys/keys.jsonl").read_text().splitlines()
    told = {line["accessId"]: (line["secret"], line["state"]) for line in map(json.loads, lines)}
    assert told == {made[0][0].access_id: (made[0][1], "ACTIVE"), made[1][0].access_id: (made[1][1], "INACTIVE")}
    other = servers.Brasa(tmp_path / "other").start()
    try:
        clients.connect(other, "shop").document("c/first").set({"n": 1})
        for _ in range(2):
            assert "imported 2 HMAC keys" in imported(tmp_path / "backup", other.data, "--include", "hmac-keys").stdout
        there = {key.access_id: key.state for key in client(other).list_hmac_keys()}
        assert there == {key: state for key, (_, state) in told.items()}
        client(other).create_bucket(BUCKET).blob("a").upload_from_string(b"signed")
        s3 = boto3.client(
            "s3", endpoint_url=f"http://{other.host}", region_name="auto", aws_access_key_id=made[0][0].access_id,
            aws_secret_access_key=made[0][1], config=Config(s3={"addressing_style": "path"}),
        )
        assert s3.get_object(Bucket=BUCKET, Key="a")["Body"].read() == b"signed"
        # Where the key was deleted it does not come back.
        first = client(other).get_hmac_key_metadata(made[0][0].access_id)
        first.state = "INACTIVE"
        first.update()
        first.delete()
        again = imported(tmp_path / "backup", other.data, "--include", "hmac-keys", check=False)
        assert again.returncode == 1
        assert "A key with that access ID already exists." in again.stdout + again.stderr
        assert "imported 1 HMAC key" in again.stdout
    finally:
        assert other.stop() == 0
