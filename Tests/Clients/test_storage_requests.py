"""Requests to Storage as the clients of others send them, byte for byte: Node's, gcloud's, gsutil's and gcsfs's."""

import json
import os
import re
import socket

import pytest
import requests

from support import firebase_storage as firebase, server as servers, tokens

pytestmark = pytest.mark.brasa_only

QUARTER = 256 << 10
OWNER = {"Authorization": "Bearer owner"}


class Bucket:
    """A bucket, by requests that no library changes."""

    def __init__(self, server, name):
        self.server, self.name = server, name

    def raw(self, head, parts=(), cut=False):
        """Sends a head, whose lines end with CR LF, and parts of bytes; returns status, headers and body.

        With `cut` the connection is closed after the last part.
        """
        with socket.create_connection(self.server.host.rsplit(":", 1), timeout=30) as connection:
            connection.sendall(head.strip().replace("\n", "\r\n").encode() + b"\r\n\r\n")
            for part in parts:
                connection.sendall(part)
            if cut:
                return None
            answer = b""
            while received := connection.recv(1 << 16):
                answer += received
        top, _, body = answer.partition(b"\r\n\r\n")
        lines = top.decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
        return int(lines[0].split(" ")[1]), headers, body

    def get(self, name):
        answer = requests.get(f"{self.server.url}/storage/v1/b/{self.name}/o/{name}?alt=media", headers=OWNER, timeout=30)
        return answer.content if answer.status_code == 200 else answer.status_code

    def metadata(self, name):
        return requests.get(f"{self.server.url}/storage/v1/b/{self.name}/o/{name}", headers=OWNER, timeout=30).json()


@pytest.fixture
def bucket(server, project):
    return Bucket(server, f"{project}.appspot.com")


def chunked(content, size=65536):
    """A body of unknown size, as Node writes a stream's pieces."""
    for start in range(0, len(content), size):
        piece = content[start:start + size]
        yield b"%x\r\n%b\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"


# Node


class Node:
    """What `file.save()` and `createWriteStream()` of @google-cloud/storage send."""

    AGENT = "gcloud-node-storage/7.19.0"
    CLIENT = "gl-node/22.21.1 gccl/7.19.0-CJS gccl-invocation-id/6d9ab4b3-41f5-4e9a-9a55-0e5ad26ec9ae"

    def __init__(self, bucket):
        self.bucket = bucket

    def begin(self, name):
        metadata = b'{"contentType":"text/plain","metadata":{"a":"1"}}'
        status, headers, _ = self.bucket.raw(f"""
POST /upload/storage/v1/b/{self.bucket.name}/o?name={name}&uploadType=resumable HTTP/1.1
x-goog-api-client: {self.CLIENT}
User-Agent: {self.AGENT}
X-Upload-Content-Type: text/plain
Content-Type: application/json
Accept: application/json
Content-Length: {len(metadata)}
Accept-Encoding: gzip,deflate
Connection: close
Host: {self.bucket.server.host}
""", [metadata])
        assert status == 200
        return headers["location"]

    def put(self, location, range, parts, size="Transfer-Encoding: chunked", cut=False):
        path = location.removeprefix(self.bucket.server.url)
        return self.bucket.raw(f"""
PUT {path} HTTP/1.1
x-goog-api-client: {self.CLIENT}
Content-Range: {range}
User-Agent: {self.AGENT}
Accept: */*
{size}
Accept-Encoding: gzip,deflate
Connection: close
Host: {self.bucket.server.host}
""", parts, cut)

    def received(self, location):
        status, headers, _ = self.put(location, "bytes */*", [], "Content-Length: 0")
        assert status == 308
        return int(headers["range"].removeprefix("bytes=0-")) + 1 if "range" in headers else 0


@pytest.fixture
def node(bucket):
    return Node(bucket)


@pytest.mark.parametrize("size", [0, 1, QUARTER, 3 * QUARTER + 7])
@pytest.mark.parametrize("isKnown", [False, True], ids=["unknown size", "known size"])
def test_nodes_default_upload(bucket, node, size, isKnown):
    content = os.urandom(size)
    location = node.begin("o")
    status, _, body = node.put(location, f"bytes 0-*/{size if isKnown else '*'}", chunked(content))
    assert status == 200, body
    stored = json.loads(body[body.index(b"{"):body.rindex(b"}") + 1])
    assert stored["size"] == str(size) and stored["contentType"] == "text/plain" and stored["metadata"] == {"a": "1"}
    assert bucket.get("o") == content
    # The answer may have been lost.
    assert node.put(location, "bytes 0-*/*", chunked(content))[0] == 200
    assert bucket.metadata("o")["generation"] == stored["generation"]


def test_nodes_upload_in_chunks(bucket, node):
    content = os.urandom(2 * QUARTER + 100)
    location = node.begin("o")
    for start in (0, QUARTER):
        piece = content[start:start + QUARTER]
        status, headers, _ = node.put(
            location, f"bytes {start}-{start + QUARTER - 1}/*", [piece], f"Content-Length: {QUARTER}"
        )
        assert status == 308 and headers["range"] == f"bytes=0-{start + QUARTER - 1}"
        assert bucket.get("o") == 404
    last = content[2 * QUARTER:]
    status, _, body = node.put(
        location, f"bytes {2 * QUARTER}-{len(content) - 1}/{len(content)}", [last], f"Content-Length: {len(last)}"
    )
    assert status == 200, body
    assert bucket.get("o") == content


def test_nodes_upload_goes_on_where_it_was_cut(bucket, node):
    content = os.urandom(4 * QUARTER)
    location = node.begin("o")
    # Six pieces, and a part of the seventh, which may arrive or not.
    begun = b"".join(list(chunked(content))[:6]) + b"10000\r\n" + content[6 * 65536:][:29]
    node.put(location, "bytes 0-*/*", [begun], cut=True)
    received = node.received(location)
    assert received <= 6 * 65536 + 29 and bucket.get("o") == 404
    status, _, body = node.put(location, f"bytes {received}-*/*", chunked(content[received:]))
    assert status == 200, body
    assert bucket.get("o") == content


def test_what_nodes_range_says_of_the_whole_is_kept_to(bucket, node):
    location = node.begin("o")
    for range, content in [("bytes 0-*/10", b"x" * 9), ("bytes 20-*/*", b"x"), ("bytes 11-*/10", b"x")]:
        assert node.put(location, range, chunked(content))[0] == 400, range
        assert bucket.get("o") == 404
    assert node.put(location, "bytes 9-*/10", chunked(b"y"))[0] == 200
    assert bucket.get("o") == b"x" * 9 + b"y"


def test_nodes_upload_to_an_address_of_the_xml_api(bucket, node):
    begun = requests.post(
        f"{bucket.server.url}/{bucket.name}/o", headers={**OWNER, "x-goog-resumable": "start"}, timeout=30
    )
    status, headers, _ = node.put(begun.headers["Location"], "bytes 0-*/*", chunked(b"whole"))
    assert status == 200 and "md5=" in headers["x-goog-hash"]
    assert bucket.get("o") == b"whole"


# gcloud, gsutil, gcsfs, google-api-python-client


def related(content, boundary, end, kind="application/octet-stream", name="o", last=b""):
    """A body of metadata and content, whose lines end so."""
    return end.join([
        b"--" + boundary, b"Content-Type: application/json", b"MIME-Version: 1.0", b"",
        json.dumps({"name": name, "contentType": kind}).encode(),
        b"--" + boundary, b"Content-Type: " + kind.encode(), b"MIME-Version: 1.0",
        b"Content-Transfer-Encoding: binary", b"", content, b"--" + boundary + b"--",
    ]) + last


PYTHON = b"===============7330845974216740156=="
FORMS = {
    "gcloud and gsutil": (PYTHON, f"multipart/related; boundary='{PYTHON.decode()}'", b"\n", b"\n"),
    "google-api-python-client": (PYTHON, f'multipart/related; boundary="{PYTHON.decode()}"', b"\n", b"\n"),
    "gcsfs": (b"==0==", "multipart/related; boundary=\"==0==\"", b"\n", b""),
    "google-cloud-storage": (PYTHON, f'multipart/related; boundary="{PYTHON.decode()}"', b"\r\n", b""),
}
CONTENTS = {
    "nothing": b"", "text": b"hello\n", "carriage return": b"ends with\r", "lines": b"\r\n\n\r\r\n", "line": b"\n",
    "hyphens": b"\n--\n--=\n", "bytes": bytes(range(256)) * 1_200,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("content", CONTENTS)
def test_uploads_in_one_body_of_several_parts(bucket, form, content):
    boundary, type, end, last = FORMS[form]
    body = related(CONTENTS[content], boundary, end, last=last)
    headers = {**OWNER, "Content-Type": type}
    address = f"{bucket.server.url}/upload/storage/v1/b/{bucket.name}/o?uploadType=multipart"
    stored = requests.post(address, data=body, headers=headers, timeout=30)
    assert stored.status_code == 200, stored.text
    assert bucket.get("o") == CONTENTS[content]
    ana = firebase.Storage(bucket.server, bucket.name, "owner")
    again = ana.send("POST", f"{ana.root}?name=p", {"X-Goog-Upload-Protocol": "multipart", "Content-Type": type}, data=body)
    assert again.status_code == 200, again.text
    assert bucket.get("p") == CONTENTS[content]


def test_a_form_of_several_parts_may_have_bare_line_ends(bucket):
    calls = [f"PATCH /storage/v1/b/{bucket.name}/o/{name} HTTP/1.1" for name in ("a", "b")]
    for name in ("a", "b"):
        put(bucket, f"?uploadType=media&name={name}")
    body = "".join(
        f"--===1==\nContent-Type: application/http\nMIME-Version: 1.0\n\n{call}\nContent-Type: application/json\n\n"
        '{"cacheControl":"no-store"}\n' for call in calls
    ) + "--===1==--\n"
    answer = requests.post(
        f"{bucket.server.url}/batch/storage/v1", data=body, timeout=30,
        headers={**OWNER, "Content-Type": "multipart/mixed; boundary='===1=='"},
    )
    assert answer.text.count("HTTP/1.1 200") == 2
    assert {bucket.metadata(name)["cacheControl"] for name in ("a", "b")} == {"no-store"}


def put(bucket, rest, content=b"hi", **headers):
    address = f"{bucket.server.url}/upload/storage/v1/b/{bucket.name}/o{rest}"
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return requests.post(address, data=content, headers={**OWNER, **headers}, timeout=30)


def test_the_kind_of_an_upload_need_not_be_said(bucket):
    plain = put(bucket, "?name=a", Content_Type="text/plain")
    assert plain.status_code == 200 and plain.json()["contentType"] == "text/plain"
    assert put(bucket, "/?name=b").status_code == 200
    parts = related(b"hi", b"b", b"\r\n", name="c")
    assert put(bucket, "", parts, Content_Type="multipart/related; boundary=b").status_code == 200
    named = put(bucket, "?name=d", related(b"hi", b"b", b"\n"), X_Goog_Upload_Protocol="multipart",
                Content_Type="multipart/mixed; boundary=b")
    assert named.status_code == 200 and named.json()["name"] == "d"
    begun = put(bucket, "?name=e", b"", X_Goog_Upload_Protocol="resumable")
    assert begun.status_code == 200
    assert requests.put(begun.headers["Location"], data=b"hi", headers=OWNER, timeout=30).status_code == 200
    assert [bucket.get(name) for name in "abcde"] == [b"hi"] * 5
    for rest, headers in (("", {}), ("?name=f&uploadType=", {}), ("?name=f&uploadType=x", {}),
                          ("?name=f", {"X_Goog_Upload_Protocol": "x"})):
        assert put(bucket, rest, **headers).status_code == 400, rest
    assert bucket.get("f") == 404


def test_a_slash_before_the_parameters(bucket):
    ana = firebase.Storage(bucket.server, bucket.name, "owner")
    stored = ana.send("POST", f"{ana.root}/?name=users%2Fa", {"Content-Type": "text/plain"}, data=b"hi")
    assert stored.status_code == 200 and stored.json()["name"] == "users/a"
    assert [item["name"] for item in ana.send("GET", f"{ana.root}/?prefix=users/").json()["items"]] == ["users/a"]
    listed = requests.get(f"{bucket.server.url}/storage/v1/b/{bucket.name}/o/", headers=OWNER, timeout=30)
    assert [item["name"] for item in listed.json()["items"]] == ["users/a"]


def test_requests_about_tokens_without_an_administrators_credentials(bucket, project):
    ana = firebase.Storage(bucket.server, bucket.name, "owner")
    assert ana.upload_raw("a", b"x").status_code == 200
    token = ana.metadata("a").json()["downloadTokens"]
    for credential in ("Bearer somethingElse", "Firebase x.y.z", "Basic YTpi", f"Firebase {tokens.unsigned(project, 'ana')}"):
        for parameter in ("create_token=true", f"delete_token={token}"):
            answer = requests.post(f"{ana.url('a')}?{parameter}", headers={"Authorization": credential}, timeout=30)
            assert answer.status_code == 403, (credential, answer.text)
            assert answer.json()["error"]["message"] == "Missing admin credentials."
    assert ana.metadata("a").json()["downloadTokens"] == token


# Metadata


def test_a_custom_time_is_exact_and_never_goes_back(bucket):
    def patch(name="a", method="PATCH", **members):
        address = f"{bucket.server.url}/storage/v1/b/{bucket.name}/o/{name}"
        return requests.request(method, address, headers=OWNER, json=members, timeout=30)

    time = "2026-01-31T12:00:00.123456789Z"
    assert put(bucket, "?uploadType=media&name=a").status_code == 200
    assert patch(customTime=None).status_code == 200 and "customTime" not in bucket.metadata("a")
    assert patch(customTime=time).json()["customTime"] == bucket.metadata("a")["customTime"] == time
    for back in ("2026-01-31T12:00:00.123456788Z", "1969-01-01T00:00:00Z", None):
        refused = patch(customTime=back)
        assert refused.status_code == 400 and "custom time" in refused.text, back
    assert patch(cacheControl="no-store").json()["customTime"] == time
    assert patch(method="PUT").json()["customTime"] == time
    assert patch(customTime="2026-01-31T14:00:00.123456789+02:00").json()["customTime"] == time
    assert patch(customTime="2026-01-31T12:00:00.2Z").json()["customTime"] == "2026-01-31T12:00:00.200Z"
    copied = requests.post(
        f"{bucket.server.url}/storage/v1/b/{bucket.name}/o/a/copyTo/b/{bucket.name}/o/b", headers=OWNER, timeout=30)
    assert copied.json()["customTime"] == "2026-01-31T12:00:00.200Z"
    # New content begins anew, by the XML API too.
    url = f"{bucket.server.url}/{bucket.name}/a"
    early = {**OWNER, "x-goog-custom-time": "1969-07-20T20:17:40.5Z"}
    assert requests.put(url, data=b"x", headers={**OWNER, "x-goog-custom-time": "soon"}, timeout=30).status_code == 400
    assert requests.put(url, data=b"x", headers=early, timeout=30).status_code == 200
    assert bucket.metadata("a")["customTime"] == "1969-07-20T20:17:40.500Z"
    assert requests.get(url, headers=OWNER, timeout=30).headers["x-goog-custom-time"] == "1969-07-20T20:17:40.500Z"


def test_objects_take_the_storage_class_of_their_bucket(server, project):
    url = f"{server.url}/storage/v1/b"
    names = [f"{project}-cold", f"{project}-standard"]

    def call(method, path, **options):
        answer = requests.request(method, url + path, headers=OWNER, timeout=30, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()

    call("POST", f"?project={project}", json={"name": names[0], "storageClass": "COLDLINE"})
    call("POST", f"?project={project}", json={"name": names[1]})
    upload = f"{server.url}/upload/storage/v1/b/{names[0]}/o?uploadType=media&name="
    made = requests.post(upload + "a", data=b"x", headers=OWNER, timeout=30).json()
    assert made["storageClass"] == "COLDLINE"
    xml = requests.put(f"{server.url}/{names[0]}/b", data=b"x", timeout=30,
                       headers={**OWNER, "x-goog-storage-class": "NEARLINE"})
    assert xml.status_code == 200 and call("GET", f"/{names[0]}/o/b")["storageClass"] == "NEARLINE"
    # A later change of the bucket's class is not one of its objects'.
    call("PATCH", f"/{names[0]}", json={"storageClass": "ARCHIVE"})
    assert call("GET", f"/{names[0]}/o/a")["storageClass"] == "COLDLINE"
    copied = call("POST", f"/{names[0]}/o/a/copyTo/b/{names[1]}/o/a", json={})
    assert copied["storageClass"] == "STANDARD"


@pytest.mark.parametrize("location", ["", "a" * 65, "us east", "us/east", "é", "US\n"])
def test_a_bucket_has_a_location_that_a_region_can_have(server, project, location):
    url, name = f"{server.url}/storage/v1/b", f"{project}-there"
    answer = requests.post(f"{url}?project={project}", json={"name": name, "location": location}, headers=OWNER, timeout=30)
    assert answer.status_code == 400 and "location" in answer.text
    assert requests.get(f"{url}/{name}", headers=OWNER, timeout=30).status_code == 404


def test_sources_of_a_bucket_that_keeps_versions_go_to_its_versions(bucket):
    url = f"{bucket.server.url}/storage/v1/b/{bucket.name}"
    assert requests.patch(url, json={"versioning": {"enabled": True}}, headers=OWNER, timeout=30).status_code == 200
    first = put(bucket, "?uploadType=media&name=a").json()["generation"]
    for name in ("a", "b"):
        put(bucket, f"?uploadType=media&name={name}")
    made = requests.post(f"{url}/o/ab/compose", headers=OWNER, timeout=30, json={
        "sourceObjects": [{"name": "a"}, {"name": "b"}, {"name": "a", "generation": first}], "deleteSourceObjects": True})
    assert made.status_code == 200, made.text
    versions = requests.get(f"{url}/o?versions=true", headers=OWNER, timeout=30).json()["items"]
    # The two that were live are kept; the older one was named, so it is gone for good.
    assert sorted((item["name"], "timeDeleted" in item) for item in versions) == [("a", True), ("ab", False), ("b", True)]
    assert first not in [item["generation"] for item in versions]


def test_what_is_composed_has_the_type_that_the_client_says(bucket):
    for name in ("a", "b"):
        assert put(bucket, f"?uploadType=media&name={name}", Content_Type="text/plain").status_code == 200
    address = f"{bucket.server.url}/storage/v1/b/{bucket.name}/o/ab/compose"
    for destination in ({}, {"contentType": "image/png"}):
        made = requests.post(address, headers=OWNER, timeout=30, json={
            "sourceObjects": [{"name": "a"}, {"name": "b"}], "destination": destination})
        assert made.status_code == 200 and made.json().get("contentType") == destination.get("contentType")


def test_a_bucket_keeps_or_refuses_what_is_said_of_access(bucket):
    address = f"{bucket.server.url}/storage/v1/b/{bucket.name}"

    def patch(members):
        return requests.patch(address, headers=OWNER, json=members, timeout=30)

    assert patch({"iamConfiguration": {"publicAccessPrevention": "enforced"}, "rpo": "ASYNC_TURBO"}).status_code == 200
    for wrong in ({"iamConfiguration": {"publicAccessPrevention": "x"}}, {"iamConfiguration": {"x": 1}}, {"rpo": "x"}):
        assert patch(wrong).status_code == 400, wrong
    assert patch({"labels": {"a": "1"}}).status_code == 200
    shown = requests.get(address, headers=OWNER, timeout=30).json()
    assert shown["iamConfiguration"]["publicAccessPrevention"] == "enforced" and shown["rpo"] == "ASYNC_TURBO"


def test_a_glob_of_any_folder_has_the_root_too(bucket):
    for name in ("x", "a%2Fx", "a%2Fb%2Fx", "a%2Fxx"):
        assert put(bucket, f"?uploadType=media&name={name}").status_code == 200
    for glob, names in (("**/x", ["a/b/x", "a/x", "x"]), ("a/**/x", ["a/b/x", "a/x"]), ("**x", ["a/b/x", "a/x", "a/xx", "x"])):
        listed = requests.get(
            f"{bucket.server.url}/storage/v1/b/{bucket.name}/o", headers=OWNER, params={"matchGlob": glob}, timeout=30).json()
        assert [item["name"] for item in listed["items"]] == names, glob


# Cancelled uploads


def test_a_cancelled_upload_is_known_as_cancelled_after_a_restart(tmp_path):
    server = servers.Brasa(tmp_path / "data").start()
    ana = firebase.Storage(server, "p.appspot.com", "owner")
    url = ana.start("a", 10).headers["X-Goog-Upload-URL"]
    address = f"{server.url}/upload/storage/v1/b/p.appspot.com/o?uploadType=resumable&name=b"
    other = requests.post(address, headers=OWNER, timeout=30).headers["Location"]
    finished = requests.post(address, headers=OWNER, timeout=30).headers["Location"]
    assert requests.put(finished, data=b"x", headers=OWNER, timeout=30).status_code == 200
    assert ana.command(url, "cancel").status_code == 200
    assert requests.delete(other, headers=OWNER, timeout=30).status_code == 499
    server.kill()
    server = servers.Brasa(tmp_path / "data").start()
    try:
        moved = [re.sub(r"^http://[^/]+", server.url, one) for one in (url, other, finished)]
        asked = ana.command(moved[0], "query")
        assert (asked.status_code, asked.headers["X-Goog-Upload-Status"]) == (200, "cancelled")
        assert "X-Goog-Upload-Size-Received" not in asked.headers
        for answer in (ana.chunk(moved[0], b"x" * 10, 0, finalize=True), ana.command(moved[0], "finalize")):
            assert (answer.status_code, answer.headers["X-Goog-Upload-Status"]) == (400, "cancelled")
        assert ana.command(moved[0], "cancel").status_code == 200
        status = requests.put(moved[1], headers={**OWNER, "Content-Range": "bytes */*"}, timeout=30)
        assert status.status_code == 410 and "cancelled" in status.text
        assert requests.put(moved[1], data=b"x", headers=OWNER, timeout=30).status_code == 410
        assert requests.delete(moved[1], headers=OWNER, timeout=30).status_code == 499
        # What is there already cannot be cancelled.
        assert requests.delete(moved[2], headers=OWNER, timeout=30).status_code == 400
        assert firebase.Storage(server, "p.appspot.com", "owner").download("b").content == b"x"
        assert firebase.Storage(server, "p.appspot.com", "owner").metadata("a").status_code == 404
    finally:
        server.kill()
