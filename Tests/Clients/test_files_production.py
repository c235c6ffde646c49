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
    ("GET", "/b/{b}/iam"), ("GET", "/b/{b}/acl"),
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
