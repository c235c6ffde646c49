"""gcloud's and gsutil's commands about files: run where they are installed, and their requests sent byte for byte everywhere.

The requests are those of gcloud 528, recorded between it and a server; the server's address, the bucket and what an earlier
response says are filled in.
"""

import http.client
import json
import os
import pathlib
import shutil
import socket

import pytest
import requests

from support import secrets, server as servers, storage_tools as tools

pytestmark = pytest.mark.brasa_only

HEADERS = (
    "user-agent: google-cloud-sdk gcloud/528.0.0 command/gcloud.storage.cp invocation-id/306302338180462998bb842f444a46c7 "
    "environment/None environment-version/None client-os/LINUX client-os-ver/6.1.0 client-pltf-arch/x86_64 interactive/False "
    "from-script/False python/3.12.10 term/xterm (Linux 6.1.0)\r\naccept-encoding: gzip, deflate\r\n"
    "accept: application/json\r\nConnection: keep-alive\r\n"
)


class Replay:
    """One connection by which requests are sent as they were recorded."""

    def __init__(self, server):
        self.host = server.host
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=30)

    def send(self, line, headers="", body=b""):
        """The status, the headers and the body of the response."""
        if isinstance(body, str):
            body = body.encode()
        name = "Content-Length" if body else "content-length"
        head = (
            f"{line} HTTP/1.1\r\nHost: {self.host}\r\n{HEADERS}{name}: {len(body)}\r\n{headers}authorization: Bearer owner\r\n\r\n"
        )
        self.socket.sendall(head.encode() + body)
        response = http.client.HTTPResponse(self.socket, method=line.split()[0])
        response.begin()
        return response.status, response.headers, response.read()

    def json(self, line, *arguments):
        status, _, body = self.send(line, *arguments)
        assert status == 200, (line, status, body)
        return json.loads(body)


@pytest.fixture
def replay(server):
    made = Replay(server)
    yield made
    made.socket.close()


@pytest.fixture
def bucket(replay, project):
    """`gcloud storage buckets create gs://BUCKET --location=us`."""
    name = f"{project}-data"
    body = f'{{"location": "us", "name": "{name}"}}'
    made = replay.json(
        f"POST /storage/v1/b?alt=json&enableObjectRetention=False&project={project}&projection=noAcl",
        "content-type: application/json\r\n", body,
    )
    assert made["name"] == name
    return name


def upload(replay, bucket, name, content):
    """The one request of `gcloud storage cp FILE gs://BUCKET/NAME` that has the bytes of a small file."""
    mark = "===============3367136540884575944=="
    body = (
        f'--{mark}\nContent-Type: application/json\nMIME-Version: 1.0\n\n{{"bucket": "{bucket}", "contentType": "text/plain", '
        f'"name": "{name}"}}\n--{mark}\nContent-Type: text/plain\nMIME-Version: 1.0\nContent-Transfer-Encoding: binary\n\n'
    ).encode() + content + f"\n--{mark}--\n".encode()
    return replay.json(
        f"POST /upload/storage/v1/b/{bucket}/o?alt=json&uploadType=multipart",
        f"content-type: multipart/related; boundary='{mark}'\r\n", body,
    )


FIELDS = "prefixes%2Citems%2Fname%2Citems%2Fsize%2Citems%2Fgeneration%2CnextPageToken"


@pytest.mark.parametrize("content", [b"hello\n", b"", b"\n", b"\r\n--\n" * 3])
def test_cp_of_a_small_file(replay, bucket, content):
    fields = "alt=json&fields=bucket%2Cname%2Csize%2Cgeneration&projection=noAcl"
    assert replay.send(f"GET /storage/v1/b/{bucket}/o/hello.txt?{fields}")[0] == 404
    listed = f"GET /storage/v1/b/{bucket}/o?alt=json&fields={FIELDS}&delimiter=%2F&maxResults=1000&prefix=hello.txt&projection=noAcl"
    assert replay.json(listed) == {}
    made = upload(replay, bucket, "hello.txt", content)
    assert (made["size"], made["contentType"]) == (str(len(content)), "text/plain")
    shown = replay.json(f"GET /storage/v1/b/{bucket}/o/hello.txt?alt=json&projection=noAcl")
    status, headers, body = replay.send(
        f"GET /download/storage/v1/b/{bucket}/o/hello.txt?generation={shown['generation']}&alt=media"
    )
    assert (status, body) == (200, content) and shown["md5Hash"] in headers["x-goog-hash"]


def test_cp_of_a_large_file(replay, server, bucket):
    content = os.urandom(1_200_000)
    about = f'{{"bucket": "{bucket}", "contentType": "application/octet-stream", "name": "big"}}'
    status, headers, _ = replay.send(
        f"POST /resumable/upload/storage/v1/b/{bucket}/o?alt=json&uploadType=resumable",
        "content-type: application/json\r\nX-Upload-Content-Type: application/octet-stream\r\n"
        f"X-Upload-Content-Length: {len(content)}\r\n", about,
    )
    assert status == 200
    path = headers["Location"].removeprefix(server.url)
    made = replay.json(
        f"PUT {path}",
        f"Content-Type: application/octet-stream\r\nContent-Range: bytes 0-{len(content) - 1}/{len(content)}\r\n", content,
    )
    assert made["size"] == str(len(content))
    assert requests.get(f"{server.url}/{bucket}/big", timeout=30).content == content


def test_mv(replay, bucket):
    upload(replay, bucket, "d/hello.txt", b"hello\n")
    layout = replay.json(f"GET /storage/v1/b/{bucket}/storageLayout?alt=json")
    assert layout == {
        "kind": "storage#storageLayout", "bucket": bucket, "location": "us", "locationType": "region",
        "hierarchicalNamespace": {"enabled": False},
    }
    source = replay.json(f"GET /storage/v1/b/{bucket}/o/d%2Fhello.txt?alt=json&projection=noAcl")
    copied = replay.json(
        f"POST /storage/v1/b/{bucket}/o/d%2Fhello.txt/rewriteTo/b/{bucket}/o/e.txt?alt=json&projection=noAcl"
        f"&sourceGeneration={source['generation']}",
        "content-type: application/json\r\n", "{}",
    )
    assert copied["done"] and copied["resource"]["name"] == "e.txt"
    gone = replay.send(f"DELETE /storage/v1/b/{bucket}/o/d%2Fhello.txt?alt=json&generation={source['generation']}")
    assert gone[0] == 204


def test_ls_and_buckets(replay, bucket, project):
    for name in ("d/a", "d/b", "e"):
        upload(replay, bucket, name, b"x")
    page = replay.json(
        f"GET /storage/v1/b/{bucket}/o?alt=json&fields={FIELDS}&delimiter=%2F&includeFoldersAsPrefixes=True&maxResults=1000"
        "&projection=noAcl"
    )
    assert page["prefixes"] == ["d/"] and [item["name"] for item in page["items"]] == ["e"]
    shown = replay.json(f"GET /storage/v1/b/{bucket}?alt=json&projection=full")
    assert shown["name"] == bucket and shown["location"] == "us"
    names = [item["name"] for item in replay.json(f"GET /storage/v1/b?alt=json&project={project}&projection=noAcl")["items"]]
    assert names == [bucket]


def test_rm_of_a_bucket_asks_for_managed_folders(replay, bucket):
    assert replay.json(f"GET /storage/v1/b/{bucket}/managedFolders?alt=json&pageSize=1000") == {"kind": "storage#managedFolders"}
    assert replay.send(f"POST /storage/v1/b/{bucket}/managedFolders?alt=json", "content-type: application/json\r\n", "{}")[0] == 501
    assert replay.send(f"DELETE /storage/v1/b/{bucket}?alt=json")[0] == 204


def test_development_takes_its_own_project_where_none_is_named(tmp_path):
    for arguments, project in (([], "demo-brasa"), (["--project", "mine"], "mine")):
        brasa = servers.Brasa(tmp_path / project, *arguments).start()
        try:
            root = f"{brasa.url}/storage/v1/b"
            assert requests.post(root, json={"name": "some-bucket"}, timeout=30).status_code == 200
            for answer in (requests.get(root, timeout=30), requests.get(f"{root}?project={project}", timeout=30)):
                assert [item["name"] for item in answer.json()["items"]] == ["some-bucket"]
            assert "items" not in requests.get(f"{root}?project=another", timeout=30).json()
        finally:
            brasa.kill()


def test_production_guesses_no_project(production):
    key = {"Authorization": f"Bearer {production.administrator_key}"}
    root = f"{production.url}/storage/v1/b"
    for method, body in (("GET", None), ("POST", {"name": "some-bucket"})):
        answer = requests.request(method, root, headers=key, json=body, verify=production.authority, timeout=30)
        assert answer.status_code == 400 and "project" in answer.text


@pytest.fixture
def gcloud(server, project, tmp_path):
    return tools.gcloud(server, project, tmp_path)


@pytest.mark.slow
def test_gcloud(gcloud, project, tmp_path):
    root = f"gs://{project}-data"
    files = {"a.txt": b"hello", "empty": b"", "below/ä b+%.bin": os.urandom(70_000), "below/large": os.urandom(9 << 20)}
    folder = tools.write_tree(tmp_path / "here", files)
    gcloud("storage", "buckets", "create", root)
    assert gcloud("storage", "ls").split() == [f"{root}/"]
    gcloud("storage", "cp", folder / "a.txt", f"{root}/one")
    assert gcloud("storage", "cat", f"{root}/one") == "hello"
    gcloud("storage", "rsync", "--recursive", folder, f"{root}/tree")
    assert set(gcloud("storage", "ls", f"{root}/tree/**").splitlines()) == {f"{root}/tree/{name}" for name in files}
    gcloud("storage", "cp", f"{root}/one", f"{root}/copy")
    gcloud("storage", "mv", f"{root}/copy", f"{root}/moved")
    gcloud("storage", "rsync", "--recursive", f"{root}/tree", tmp_path / "back")
    assert tools.tree(tmp_path / "back") == files
    (folder / "a.txt").unlink()
    gcloud("storage", "rsync", "--recursive", "--delete-unmatched-destination-objects", folder, f"{root}/tree")
    assert f"{root}/tree/a.txt" not in gcloud("storage", "ls", f"{root}/tree/**")
    gcloud("storage", "rm", f"{root}/moved")
    gcloud("storage", "rm", "--recursive", root)
    # It takes a project without buckets for an error.
    assert "matched no objects" in gcloud.run("storage", "ls", check=False).stderr


@pytest.fixture
def gsutil(production, tmp_path):
    """gsutil in the environment that scripts/test makes for it, or one that is installed; it speaks over TLS alone."""
    own = servers.CHECKOUT / ".venv-gsutil" / "bin" / "gsutil"
    found = str(own) if own.exists() else shutil.which("gsutil")
    if not found:
        pytest.skip("gsutil is not installed: scripts/test --slow makes an environment with it")
    file = tmp_path / "key.json"
    servers.run(
        "keys", "create", "gsutil", "--role", "admin", "--project", servers.PROJECT, "--out", file,
        "--origin", production.url, "--data", production.data,
    )
    secrets.note_file(file)
    settings = tmp_path / "boto"
    settings.write_text(
        f"[Credentials]\ngs_service_key_file = {file}\ngs_json_host = localhost\ngs_json_port = {production.port}\n"
        f"[OAuth2]\nprovider_token_uri = {json.loads(file.read_text())['token_uri']}\n"
        f"[Boto]\nca_certificates_file = {production.authority}\nnum_retries = 1\n"
        f"[GSUtil]\ndefault_project_id = {servers.PROJECT}\nstate_dir = {tmp_path}/state\nsoftware_update_check_period = 0\n"
        "parallel_process_count = 1\n"
    )
    return tools.Tool([found], tmp_path, {"BOTO_CONFIG": str(settings), "NO_GCE_CHECK": "true", "CLOUDSDK_CORE_PASS_CREDENTIALS_TO_GSUTIL": "0"})


@pytest.mark.slow
def test_gsutil(gsutil, project, tmp_path):
    root = f"gs://{project}-data"
    files = {"a.txt": b"hello", "empty": b"", "below/b.bin": os.urandom(70_000), "below/large": os.urandom(9 << 20)}
    folder = tools.write_tree(tmp_path / "here", files)
    gsutil("mb", root)
    assert f"{root}/" in gsutil("ls").split()
    gsutil("cp", folder / "a.txt", f"{root}/one")
    assert gsutil("cat", f"{root}/one") == "hello"
    gsutil("rsync", "-r", folder, f"{root}/tree")
    assert set(gsutil("ls", f"{root}/tree/**").splitlines()) == {f"{root}/tree/{name}" for name in files}
    gsutil("cp", f"{root}/one", f"{root}/copy")
    gsutil("mv", f"{root}/copy", f"{root}/moved")
    pathlib.Path(tmp_path / "back").mkdir()
    gsutil("rsync", "-r", f"{root}/tree", tmp_path / "back")
    assert tools.tree(tmp_path / "back") == files
    gsutil("rm", f"{root}/moved")
    gsutil("rm", "-r", root)
    assert root not in gsutil("ls")
