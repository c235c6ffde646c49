"""Cloud Storage in production: Google's clients with a service account of ours, over TLS."""

import json
import subprocess
import sys
import textwrap

import pytest
import requests

from support import secrets, server as servers

pytestmark = pytest.mark.brasa_only

PROJECT = servers.PROJECT
BUCKET = f"{PROJECT}.appspot.com"


@pytest.fixture(scope="module")
def key_file(production, tmp_path_factory):
    file = tmp_path_factory.mktemp("keys") / "files.json"
    servers.run(
        "keys", "create", "files", "--role", "admin", "--project", PROJECT, "--out", file,
        "--origin", f"https://localhost:{production.port}", "--data", production.data,
    )
    secrets.note_file(file)
    return file


def run(program, production, authority, key_file):
    """Runs a program with Google's clients, which take their trust and their host from outside."""
    environment = {
        "PATH": "/usr/bin:/bin", "REQUESTS_CA_BUNDLE": str(authority),
        "GOOGLE_APPLICATION_CREDENTIALS": str(key_file),
        "BASE": f"https://localhost:{production.port}", "BUCKET": BUCKET,
    }
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], env=environment, text=True,
        capture_output=True, timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_googles_client_with_a_service_account(production, authority, key_file):
    assert run(
        """
        import os
        from google.cloud import storage
        client = storage.Client(client_options={"api_endpoint": os.environ["BASE"]})
        bucket = client.bucket(os.environ["BUCKET"])
        data = bytes(range(256)) * 4000
        blob = bucket.blob("backend/file", chunk_size=256 << 10)
        blob.upload_from_string(data)
        assert bucket.get_blob("backend/file").download_as_bytes() == data
        assert [b.name for b in bucket.list_blobs(prefix="backend/")] == ["backend/file"]
        print("well")
        """,
        production, authority, key_file,
    ).strip() == "well"


def test_all_that_googles_client_does_with_objects(production, authority, key_file):
    """What the tests of development do, over TLS and with a service account's own tokens."""
    assert run(
        """
        import datetime, os, tempfile
        import requests
        from google.api_core import exceptions
        from google.cloud import storage
        from google.cloud.storage import transfer_manager
        client = storage.Client(client_options={"api_endpoint": os.environ["BASE"]})
        bucket = client.bucket(os.environ["BUCKET"])
        data = os.urandom(3 << 20)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "file")
            open(path, "wb").write(data)
            blob = bucket.blob("all/parts")
            transfer_manager.upload_chunks_concurrently(
                path, blob, chunk_size=1 << 20, max_workers=3, worker_type=transfer_manager.THREAD)
            transfer_manager.download_chunks_concurrently(
                bucket.get_blob("all/parts"), path + "2", chunk_size=1 << 20, worker_type=transfer_manager.THREAD)
            assert open(path + "2", "rb").read() == data
            names = [f"many{number}" for number in range(5)]
            for name in names:
                open(os.path.join(folder, name), "wb").write(name.encode())
            done = transfer_manager.upload_many_from_filenames(
                bucket, names, source_directory=folder, blob_name_prefix="all/", worker_type=transfer_manager.THREAD)
            assert done == [None] * 5, done
        with client.batch():
            for name in names:
                found = bucket.blob("all/" + name)
                found.metadata = {"batch": "1"}
                found.patch()
        assert all(found.metadata == {"batch": "1"} for found in bucket.list_blobs(prefix="all/many"))
        blob = bucket.get_blob("all/parts")
        assert blob.download_as_bytes(start=10, end=19) == data[10:20]
        copy = bucket.copy_blob(blob, bucket, "all/copy")
        assert copy.crc32c == blob.crc32c
        token, moved, total = bucket.blob("all/rewritten").rewrite(blob)
        assert token is None and moved == total == len(data)
        whole = bucket.blob("all/whole")
        whole.compose([copy, blob])
        assert whole.download_as_bytes() == data + data and whole.component_count == 2
        try:
            bucket.blob("all/copy").upload_from_string("x", if_generation_match=0)
            raise SystemExit("a precondition that does not hold")
        except exceptions.PreconditionFailed:
            pass
        bucket.blob("all/copy").upload_from_string("x", if_generation_match=copy.generation)
        signed = bucket.blob("all/signed").generate_signed_url(
            version="v4", method="PUT", expiration=datetime.timedelta(minutes=5), api_access_endpoint=os.environ["BASE"])
        assert requests.put(signed, b"signed", timeout=30).status_code == 200
        signed = bucket.blob("all/signed").generate_signed_url(
            version="v4", expiration=datetime.timedelta(minutes=5), api_access_endpoint=os.environ["BASE"])
        assert requests.get(signed, timeout=30).content == b"signed"
        start = bucket.blob("all/resumed").generate_signed_url(
            version="v4", method="RESUMABLE", expiration=datetime.timedelta(minutes=5),
            api_access_endpoint=os.environ["BASE"])
        begun = requests.post(start, headers={"x-goog-resumable": "start"}, timeout=30)
        session, size = begun.headers["Location"], len(data)
        for first in range(0, size, 1 << 20):
            answer = requests.put(session, data[first:first + (1 << 20)], timeout=30, headers={
                "Content-Range": f"bytes {first}-{first + (1 << 20) - 1}/{size}"})
        assert answer.status_code == 200 and bucket.blob("all/resumed").download_as_bytes() == data
        unsigned = bucket.blob("all/session").create_resumable_upload_session(size=3)
        assert requests.put(unsigned, b"abc", timeout=30).status_code == 200
        bucket.delete_blobs(list(bucket.list_blobs(prefix="all/")))
        assert not list(bucket.list_blobs(prefix="all/"))
        print("well")
        """,
        production, authority, key_file,
    ).strip() == "well"


def test_the_admin_sdk(production, authority, key_file):
    assert run(
        """
        import os
        os.environ["STORAGE_EMULATOR_HOST"] = os.environ["BASE"]
        import firebase_admin
        from firebase_admin import credentials, storage
        firebase_admin.initialize_app(
            credentials.ApplicationDefault(), {"storageBucket": os.environ["BUCKET"]}
        )
        bucket = storage.bucket()
        bucket.blob("sdk").upload_from_string("by the Admin SDK")
        print(bucket.blob("sdk").download_as_text())
        """,
        production, authority, key_file,
    ).strip() == "by the Admin SDK"


@pytest.mark.parametrize("method, path", [
    ("GET", "/storage/v1/b/{b}"), ("GET", "/b/{b}/o"), ("GET", "/b/{b}/o/x"),
    ("GET", "/b/{b}/o/x?alt=media"), ("GET", "/download/storage/v1/b/{b}/o/x?alt=media"),
    ("DELETE", "/b/{b}/o/x"), ("PATCH", "/b/{b}/o/x"), ("PUT", "/b/{b}/o/x"), ("DELETE", "/b/{b}"),
    ("POST", "/b/{b}/o/x/copyTo/b/{b}/o/y"), ("POST", "/b/{b}/o/x/rewriteTo/b/{b}/o/y"),
    ("POST", "/b/{b}/o/x/compose"), ("POST", "/b/{b}/o/x/moveTo/o/y"),
    ("POST", "/b/{b}/o/x/restore?generation=1"), ("GET", "/b?project=p"), ("POST", "/b?project=p"),
    ("POST", "/upload/storage/v1/b/{b}/o?uploadType=media&name=x"),
    ("POST", "/upload/storage/v1/b/{b}/o?uploadType=resumable&name=x"),
    ("GET", "/b/{b}/iam"), ("GET", "/b/{b}/acl"), ("PUT", "/b/{b}/iam"),
])
@pytest.mark.parametrize("token, statuses", [
    (None, {403}), ("rubbish", {401}), ("owner", {401}),
])
def test_nobody_else_gets_in(production, authority, method, path, token, statuses):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = requests.request(
        method, f"https://localhost:{production.port}{path.format(b=BUCKET)}", headers=headers,
        json=None if method == "GET" else {"name": "x"}, verify=str(authority), timeout=30,
    )
    assert answer.status_code in statuses, answer.text
    assert set(json.loads(answer.text)["error"]) >= {"code", "message"} if answer.text[0] == "{" else True


@pytest.mark.parametrize("query", ["?alt=media&token=x", "?token=x", "?alt=media&token=", "", "?alt=media"])
@pytest.mark.parametrize("token", [None, "rubbish"])
def test_nobody_makes_buckets(production, authority, query, token):
    """Made-up names of default buckets leave nothing behind, with whatever token."""
    name = "made-up-by-nobody"
    headers = {"Authorization": f"Firebase {token}"} if token else {}
    for bucket in (f"{name}.appspot.com", f"{name}.firebasestorage.app"):
        answer = requests.get(
            f"https://localhost:{production.port}/v0/b/{bucket}/o/x{query}", headers=headers, verify=str(authority), timeout=30
        )
        assert answer.status_code in (401, 403, 404), answer.text
    key = {"Authorization": f"Bearer {production.administrator_key}"}
    listed = requests.get(
        f"https://localhost:{production.port}/storage/v1/b?project={name}", headers=key, verify=str(authority), timeout=30
    )
    assert listed.status_code == 200 and "items" not in listed.json(), listed.text
