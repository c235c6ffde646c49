"""What clients send by mistake or on purpose, by every dialect: the documented code, and nothing stored."""

import base64
import hashlib
import http.client
import os
import re
import socket
import unicodedata
import uuid

import google_crc32c
import pytest
import requests

from support import firebase_storage as firebase, server as servers, tokens

pytestmark = pytest.mark.brasa_only

QUARTER = 256 << 10
OWNER = {"Authorization": "Bearer owner"}


class Dialect:
    """Uploads by one of the three dialects, each with a resumable upload of its own."""

    def __init__(self, server, bucket):
        self.server, self.bucket = server, bucket

    def send(self, method, path, **options):
        options["headers"] = {**OWNER, **options.get("headers", {})}
        url = path if path.startswith("http") else self.server.url + path
        return requests.request(method, url, timeout=30, allow_redirects=False, **options)

    def names(self):
        listed = self.send("GET", f"/storage/v1/b/{self.bucket}/o").json()
        return [item["name"] for item in listed.get("items", [])]


class JSON(Dialect):
    def put(self, name, content=b"x", **options):
        return self.send("POST", f"/upload/storage/v1/b/{self.bucket}/o?uploadType=media&name={name}", data=content, **options)

    def get(self, name):
        return self.send("GET", f"/storage/v1/b/{self.bucket}/o/{name}?alt=media")

    def begin(self, name, size=None):
        headers = {} if size is None else {"X-Upload-Content-Length": str(size)}
        path = f"/upload/storage/v1/b/{self.bucket}/o?uploadType=resumable&name={name}"
        return self.send("POST", path, json={}, headers=headers)

    def start(self, name, size=None):
        return self.begin(name, size).headers["Location"]

    def chunk(self, url, content, first, total="*", last=None):
        last = first + len(content) - 1 if last is None else last
        return self.send("PUT", url, data=content, headers={"Content-Range": f"bytes {first}-{last}/{total}"})

    def finish(self, url, content, first):
        return self.chunk(url, content, first, first + len(content))

    def received(self, url):
        return int(self.send("PUT", url, headers={"Content-Range": "bytes */*"}).headers.get("Range", "0--1").split("-", 1)[1]) + 1

    def cancel(self, url):
        return self.send("DELETE", url)


class XML(JSON):
    def put(self, name, content=b"x", **options):
        return self.send("PUT", f"/{self.bucket}/{name}", data=content, **options)

    def get(self, name):
        return self.send("GET", f"/{self.bucket}/{name}")

    def begin(self, name, size=None):
        headers = {} if size is None else {"X-Upload-Content-Length": str(size)}
        return self.send("POST", f"/{self.bucket}/{name}", headers={"x-goog-resumable": "start", **headers})


class Firebase(Dialect):
    def put(self, name, content=b"x", **options):
        return self.send("POST", f"/v0/b/{self.bucket}/o?name={name}", data=content, **options)

    def get(self, name):
        return self.send("GET", f"/v0/b/{self.bucket}/o/{name}?alt=media")

    def begin(self, name, size=None):
        return firebase.Storage(self.server, self.bucket, "owner").start(name, size)

    def start(self, name, size=None):
        return self.begin(name, size).headers["X-Goog-Upload-URL"]

    def chunk(self, url, content, first, finalize=False):
        return self.send("POST", url, data=content, headers={
            "X-Goog-Upload-Command": "upload, finalize" if finalize else "upload", "X-Goog-Upload-Offset": str(first),
        })

    def finish(self, url, content, first):
        return self.chunk(url, content, first, finalize=True)

    def command(self, url, command):
        return self.send("POST", url, headers={"X-Goog-Upload-Command": command})

    def received(self, url):
        return int(self.command(url, "query").headers["X-Goog-Upload-Size-Received"])

    def cancel(self, url):
        return self.command(url, "cancel")


@pytest.fixture(params=[JSON, XML, Firebase], ids=["json", "xml", "firebase"])
def dialect(request, server, project):
    return request.param(server, f"{project}.appspot.com")


# Names


@pytest.mark.parametrize("name", [
    "%2E", "..", "a%0Ab", "a%0Db", "a%00b", "x" * 1025, "%C3%A9" * 513, "%FF", "%C3", "%ED%A0%80",
    ".well-known/acme-challenge/x",
])
def test_names_that_are_none(dialect, name):
    if dialect.__class__ is XML and name in ("%2E", ".."):
        pytest.skip("a client takes these out of a path")
    answer = dialect.put(name)
    assert answer.status_code == 400, answer.text
    assert dialect.names() == []


@pytest.mark.parametrize("name", ["%zz", "%", "a%2", "%C3%28"])
@pytest.mark.parametrize("method, path", [
    ("POST", "/upload/storage/v1/b/{}/o?uploadType=media&name="), ("GET", "/storage/v1/b/{}/o/"), ("PUT", "/{}/"),
    ("POST", "/v0/b/{}/o?name="), ("POST", "/v0/b/{}/o/"), ("GET", "/v0/b/{}/o/"),
])
def test_escapes_that_are_none(server, project, method, path, name):
    bucket = f"{project}.appspot.com"
    connection = http.client.HTTPConnection(server.host, timeout=30)
    connection.request(method, path.format(bucket) + name, b"x" if method != "GET" else None, OWNER)
    assert connection.getresponse().status == 400
    connection.close()
    assert JSON(server, bucket).names() == []


@pytest.mark.parametrize("encoded, name", [
    ("a%2Fb", "a/b"), ("a%252Fb", "a%2Fb"), ("a%2F%2Fb", "a//b"), ("%2Fa", "/a"), ("a%2F", "a/"), ("a%3Fb%23c", "a?b#c"),
    ("%20a%20", " a "), ("a%2Bb", "a+b"), ("%E2%80%AEtxt.exe", "\u202etxt.exe"), ("a%09b%7F", "a\tb\x7f"),
    ("x" * 1024, "x" * 1024), ("%C3%A9" * 512, "é" * 512), ("%F0%9F%98%80", "😀"), ("a%2F..%2F..%2Fb", "a/../../b"),
    ("%2E%2E%2Fb", "../b"),
])
def test_names_are_bytes_and_have_no_other_meaning(dialect, encoded, name):
    assert dialect.put(encoded, name.encode()).status_code == 200
    assert dialect.names() == [name]
    for other in (JSON, Firebase):
        assert other(dialect.server, dialect.bucket).get(encoded.replace("/", "%2F")).content == name.encode()


def test_forms_of_unicode_are_different_names(dialect):
    composed, decomposed = "%C3%A9", "e%CC%81"
    assert dialect.put(composed, b"NFC").status_code == dialect.put(decomposed, b"NFD").status_code == 200
    assert dialect.get(composed).content == b"NFC" and dialect.get(decomposed).content == b"NFD"
    assert sorted(dialect.names()) == sorted(["é", unicodedata.normalize("NFD", "é")])


def test_a_name_of_nothing(dialect):
    # In the XML API a path that ends behind the bucket is the bucket, which cannot be made twice.
    assert dialect.put("").status_code in (400, 409)
    assert dialect.names() == []


# Hashes


def digests(content):
    """MD5 and CRC32C as headers have them."""
    crc = google_crc32c.Checksum(content).digest()
    return [base64.b64encode(digest).decode() for digest in (hashlib.md5(content).digest(), crc)]


@pytest.mark.parametrize("number, name", [(0, "md5"), (1, "crc32c")])
def test_a_hash_that_is_not_the_contents_stores_nothing(dialect, number, name):
    right, wrong = digests(b"whole")[number], digests(b"other")[number]
    for value in (wrong, "x", ""):
        if isinstance(dialect, Firebase):
            answer = firebase.Storage(dialect.server, dialect.bucket, "owner").upload("o", b"whole", **{
                {"md5": "md5Hash", "crc32c": "crc32c"}[name]: value,
            })
        else:
            answer = dialect.put("o", b"whole", headers={"x-goog-hash": f"{name}={value}"})
        assert answer.status_code == 400, (value, answer.text)
        assert dialect.names() == []
    if not isinstance(dialect, Firebase):
        url = dialect.start("o")
        last = dialect.send("PUT", url, data=b"whole", headers={
            "Content-Range": "bytes 0-4/5", "x-goog-hash": f"{name}={wrong}",
        })
        assert last.status_code == 400 and dialect.names() == []
        assert dialect.put("o", b"whole", headers={"x-goog-hash": f"{name}={right}"}).status_code == 200


def test_a_hash_in_the_metadata_that_is_not_the_contents(server, project):
    dialect = JSON(server, f"{project}.appspot.com")
    path = f"/upload/storage/v1/b/{dialect.bucket}/o?uploadType=multipart&name=o"
    for number, member in ((0, "md5Hash"), (1, "crc32c")):
        body = (
            f'--b\r\nContent-Type: application/json\r\n\r\n{{"{member}":"{digests(b"other")[number]}"}}\r\n'
            "--b\r\nContent-Type: text/plain\r\n\r\nwhole\r\n--b--"
        )
        answer = dialect.send("POST", path, data=body, headers={"Content-Type": "multipart/related; boundary=b"})
        assert answer.status_code == 400 and dialect.names() == []
    answer = dialect.send("PUT", f"/{dialect.bucket}/o", data=b"whole", headers={"Content-MD5": digests(b"other")[0]})
    assert answer.status_code == 400 and dialect.names() == []


# Resumable uploads


def test_chunks_that_repeat_and_overlap_count_once(dialect):
    content = os.urandom(3 * QUARTER)
    url = dialect.start("o")
    assert dialect.chunk(url, content[:QUARTER], 0).status_code in (200, 308)
    assert dialect.chunk(url, content[:QUARTER], 0).status_code in (200, 308)
    assert dialect.received(url) == QUARTER
    # The second half of what is there comes with other bytes: what is there counts.
    overlapping = b"?" * (QUARTER // 2) + content[QUARTER:2 * QUARTER]
    assert dialect.chunk(url, overlapping, QUARTER // 2).status_code in (200, 308)
    assert dialect.received(url) == 2 * QUARTER
    assert dialect.chunk(url, b"x" * QUARTER, 2 * QUARTER + 1).status_code == 400
    assert dialect.received(url) == 2 * QUARTER
    assert dialect.names() == []
    assert dialect.finish(url, content[2 * QUARTER:], 2 * QUARTER).status_code == 200
    assert dialect.get("o").content == content


def test_a_finalize_that_comes_twice_makes_one_object(dialect):
    url = dialect.start("o")
    first = dialect.finish(url, b"whole", 0)
    second = dialect.finish(url, b"whole", 0)
    third = dialect.finish(url, b"other", 0)
    assert [answer.status_code for answer in (first, second, third)] == [200, 200, 200]
    generations = {answer.headers.get("x-goog-generation") or answer.json()["generation"] for answer in (first, second, third)}
    assert len(generations) == 1
    assert dialect.get("o").content == b"whole"


def test_nothing_comes_after_a_cancel(dialect):
    kept = dialect.put("o", b"before")
    assert kept.status_code == 200
    url = dialect.start("o")
    assert dialect.chunk(url, b"x" * QUARTER, 0).status_code in (200, 308)
    assert dialect.cancel(url).status_code in (200, 499)
    status = {JSON: 410, XML: 404, Firebase: 400}[type(dialect)]
    for answer in (dialect.chunk(url, b"x" * QUARTER, QUARTER), dialect.finish(url, b"x", QUARTER), dialect.finish(url, b"x", 0)):
        assert answer.status_code == status, answer.text
    assert dialect.cancel(url).status_code in (200, 499)
    assert dialect.get("o").content == b"before"


def test_ids_of_uploads_that_are_not_of_the_bucket(dialect, server):
    url = dialect.start("o")
    id = firebase.upload_id(url)
    other = url.replace(dialect.bucket, f"x{uuid.uuid4().hex[:8]}.appspot.com")
    for wrong in (url.replace(id, "A" * 32), url.replace(id, "x"), url.replace(id, ""), other):
        assert dialect.finish(wrong, b"x", 0).status_code in (400, 404), wrong
    assert dialect.names() == []
    assert dialect.finish(url, b"x", 0).status_code == 200


@pytest.mark.parametrize("first, last, total", [
    (0, 9, 5), (5, 2, 20), (0, 99, "*"), (0, 3, "*"), (0, 99, 100), (-1, 5, 10), (0, "x", "*"), (0, 9, "x"),
    (0, 1 << 70, "*"), ("", 9, 10),
])
@pytest.mark.parametrize("kind", [JSON, XML], ids=["json", "xml"])
def test_ranges_that_lie(server, project, kind, first, last, total):
    dialect = kind(server, f"{project}.appspot.com")
    url = dialect.start("o")
    answer = dialect.send("PUT", url, data=b"0123456789", headers={"Content-Range": f"bytes {first}-{last}/{total}"})
    assert answer.status_code == 400, answer.text
    assert dialect.names() == [] and dialect.get("o").status_code == 404


def test_a_last_request_that_ends_before_what_is_there(dialect):
    url = dialect.start("o")
    assert dialect.chunk(url, b"x" * QUARTER, 0).status_code in (200, 308)
    if isinstance(dialect, Firebase):
        short = [dialect.finish(url, b"abc", 0)]
        assert short[0].headers["X-Goog-Upload-Status"] == "active"
    else:
        short = [dialect.send("PUT", url, data=b"abc"), dialect.send("PUT", url, data=b"")]
    assert {answer.status_code for answer in short} == {400}
    assert dialect.names() == [] and dialect.received(url) == QUARTER
    assert dialect.finish(url, b"y", QUARTER).status_code == 200
    assert dialect.get("o").content == b"x" * QUARTER + b"y"
    if isinstance(dialect, Firebase):
        late = dialect.cancel(url)
        assert late.status_code == 400 and late.headers["X-Goog-Upload-Status"] == "final"
        assert dialect.get("o").status_code == 200


@pytest.mark.parametrize("content", [b"", b"x" * QUARTER], ids=["nothing", "bytes"])
@pytest.mark.parametrize("kind", [JSON, XML], ids=["json", "xml"])
def test_a_size_that_is_said_when_all_is_there(server, project, kind, content):
    dialect = kind(server, f"{project}.appspot.com")
    url = dialect.start("o")
    if content:
        assert dialect.chunk(url, content, 0).status_code in (200, 308)
    asked = dialect.send("PUT", url, headers={"Content-Range": f"bytes */{len(content) + 1}"})
    assert asked.status_code == 308 and dialect.names() == []
    ended = dialect.send("PUT", url, headers={"Content-Range": f"bytes */{len(content)}"})
    assert ended.status_code == 200, ended.text
    assert dialect.get("o").content == content


@pytest.mark.parametrize("kind", [JSON, XML], ids=["json", "xml"])
def test_what_is_not_kept_is_refused(server, project, kind):
    dialect = kind(server, f"{project}.appspot.com")
    key = {"x-goog-encryption-algorithm": "AES256", "x-goog-encryption-key": "A" * 43 + "="}
    assert dialect.put("o", headers=key).status_code == 501
    if kind is JSON:
        assert dialect.put("o&predefinedAcl=publicRead").status_code == 400
        assert dialect.put("o&predefinedAcl=private").status_code == 200
    else:
        assert dialect.put("o", headers={"x-goog-acl": "public-read"}).status_code == 400
        assert dialect.put("o", headers={"x-goog-storage-class": "FOO"}).status_code == 400
        assert dialect.put("o", headers={"x-amz-acl": "private"}).status_code == 200
    assert dialect.names() == ["o"]


def test_a_batch_with_a_download_does_the_rest(server, project):
    dialect = JSON(server, f"{project}.appspot.com")
    assert dialect.put("a", b"a").status_code == dialect.put("b", b"b").status_code == 200
    calls = [f"DELETE /storage/v1/b/{dialect.bucket}/o/a", f"GET /download/storage/v1/b/{dialect.bucket}/o/b"]
    parts = "".join(f"--x\r\nContent-Type: application/http\r\n\r\n{call} HTTP/1.1\r\n\r\n\r\n" for call in calls)
    answer = dialect.send(
        "POST", "/batch/storage/v1", data=parts + "--x--", headers={"Content-Type": "multipart/mixed; boundary=x"}
    )
    assert answer.status_code == 200 and [line for line in answer.text.splitlines() if line.startswith("HTTP/1.1")][0].startswith("HTTP/1.1 204")
    assert dialect.names() == ["b"]


def test_a_put_of_a_bucket_replaces_what_it_does_not_say(server, project):
    dialect = JSON(server, f"{project}.appspot.com")
    path, rule = f"/storage/v1/b/{dialect.bucket}", {"rule": [{"action": {"type": "Delete"}, "condition": {"age": 3}}]}
    dialect.put("o")
    changed = dialect.send("PATCH", path, json={"lifecycle": rule, "versioning": {"enabled": True}}).json()
    assert changed["lifecycle"] == rule
    for condition in ("ifMetagenerationMatch=1000", f"ifMetagenerationNotMatch={changed['metageneration']}"):
        assert dialect.send("PUT", f"{path}?{condition}", json={}).status_code == 412
        assert dialect.send("DELETE", f"{path}?{condition}").status_code == 412
    everything = {"rule": [{"action": {"type": "Delete"}, "condition": {}}]}
    assert dialect.send("PATCH", path, json={"lifecycle": everything}).status_code == 400
    replaced = dialect.send("PUT", path, json={"labels": {"a": "b"}}).json()
    assert "lifecycle" not in replaced and replaced["labels"] == {"a": "b"} and not replaced.get("versioning", {}).get("enabled")


def test_pages_that_go_on_behind_a_name(server, project):
    dialect = XML(server, f"{project}.appspot.com")
    for name in ("a", "b/1", "b/2", "c"):
        assert dialect.put(name).status_code == 200

    def keys(query):
        answer = dialect.send("GET", f"/{dialect.bucket}?{query}")
        assert answer.status_code == 200, answer.text
        return re.findall("<(?:Key|Prefix)>([^<]+)</", answer.text)

    assert keys("marker=a") == keys("list-type=2&start-after=a") == ["b/1", "b/2", "c"]
    assert keys("marker=b/&delimiter=/") == ["c"] and sorted(keys("marker=a&delimiter=/")) == ["b/", "c"]
    # What a list begins with is told before all else.
    assert keys("marker=a&prefix=b/") == keys("marker=b&prefix=b/") == ["b/", "b/1", "b/2"]
    assert keys("marker=b/1&prefix=b/") == ["b/", "b/2"] and keys("marker=c") == []


def test_an_object_that_takes_the_place_of_one_needs_no_more_room_than_it(server, project):
    dialect = JSON(server, f"{project}.appspot.com")
    dialect.put("o", b"x" * 60)
    servers.run("storage", "quota", f"gs://{dialect.bucket}", "100", "--data", server.data)
    assert dialect.put("o", b"y" * 60).status_code == 200
    assert dialect.put("p", b"y" * 60).status_code == 403


def test_sources_go_when_what_is_composed_of_them_is_there(server, project):
    dialect = JSON(server, f"{project}.appspot.com")
    for name in ("a", "b"):
        dialect.put(name, name.encode())
    answer = dialect.send("POST", f"/storage/v1/b/{dialect.bucket}/o/ab/compose", json={
        "sourceObjects": [{"name": "a"}, {"name": "b"}], "deleteSourceObjects": True,
    })
    assert answer.status_code == 200, answer.text
    assert dialect.names() == ["ab"] and dialect.get("ab").content == b"ab"


def test_an_upload_that_is_larger_or_smaller_than_was_said(dialect):
    url = dialect.start("o", 10)
    assert dialect.finish(url, b"x" * 11, 0).status_code == 400
    assert dialect.names() == []


@pytest.mark.parametrize("size", [(5 << 40) + 1, 1 << 62, (1 << 63) - 1, 1 << 63, -1, -(1 << 63), "x"])
def test_sizes_that_no_object_has(dialect, size):
    assert dialect.put("first", b"x").status_code == 200
    begun = dialect.start("begun", 1)
    answer = dialect.begin("o", size)
    assert answer.status_code == 400, answer.text
    assert dialect.finish(begun, b"x", 0).status_code == 200
    assert sorted(dialect.names()) == ["begun", "first"]


@pytest.mark.parametrize("condition", ["ifGenerationNotMatch", "ifMetagenerationNotMatch"])
@pytest.mark.parametrize("kind", [JSON, Firebase], ids=["json", "firebase"])
def test_preconditions_on_the_greatest_number(server, project, kind, condition):
    dialect = kind(server, f"{project}.appspot.com")
    url = dialect.start(f"o&{condition}={(1 << 63) - 1}") if kind is JSON else dialect.send(
        "POST", f"/v0/b/{dialect.bucket}/o?name=o&{condition}={(1 << 63) - 1}", data="{}",
        headers={"X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start"},
    ).headers["X-Goog-Upload-URL"]
    assert dialect.finish(url, b"x", 0).status_code == 200
    assert dialect.names() == ["o"]


def test_parts_after_the_greatest_number(server, project):
    dialect = XML(server, f"{project}.appspot.com")
    begun = dialect.send("POST", f"/{dialect.bucket}/o?uploads").text
    id = begun[begun.index("<UploadId>") + 10:begun.index("</UploadId>")]
    assert dialect.send("PUT", f"/{dialect.bucket}/o?partNumber=1&uploadId={id}", data=b"x").status_code == 200
    for marker, count in ((0, 1), (1, 0), ((1 << 63) - 1, 0)):
        listed = dialect.send("GET", f"/{dialect.bucket}/o?uploadId={id}&part-number-marker={marker}")
        assert listed.status_code == 200 and listed.text.count("<Part>") == count


# Requests


def test_headers_that_are_too_large(dialect):
    for headers in ({"X-Goog-Meta-A": "x" * 200_000}, {f"X-Goog-Meta-{number}": "x" * 1_000 for number in range(200)}):
        try:
            answer = dialect.put("o", b"x", headers=headers)
        except requests.exceptions.ConnectionError:
            continue  # Refused before it was read to its end.
        assert answer.status_code in (400, 431), answer.status_code
    assert dialect.names() == []


def test_a_body_that_is_cut_off_stores_nothing(dialect):
    paths = {JSON: ("POST", f"/upload/storage/v1/b/{dialect.bucket}/o?uploadType=media&name=o"),
             XML: ("PUT", f"/{dialect.bucket}/o"), Firebase: ("POST", f"/v0/b/{dialect.bucket}/o?name=o")}
    method, path = paths[dialect.__class__]
    host, port = dialect.server.host.split(":")
    for framing, body in (("Content-Length: 100", b"x" * 60), ("Transfer-Encoding: chunked", b"64\r\n" + b"x" * 60)):
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            connection.sendall(
                f"{method} {path} HTTP/1.1\r\nHost: {dialect.server.host}\r\nAuthorization: Bearer owner\r\n{framing}\r\n\r\n"
                .encode() + body
            )
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):
                pass
    assert dialect.names() == []


@pytest.mark.parametrize("size", [64 << 10, 2 << 20, 3 << 20])
def test_metadata_that_is_too_large_for_a_body_of_two_parts(server, project, size):
    """The same code by both dialects that have such bodies."""
    bucket = f"{project}.appspot.com"
    body = b"--b\r\nContent-Type: application/json\r\n\r\n" + b'{"metadata":{"a":"' + b"x" * size + b'"}}'
    body += b"\r\n--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--"
    for path in (f"/upload/storage/v1/b/{bucket}/o?uploadType=multipart&name=o", f"/v0/b/{bucket}/o?name=o"):
        answer = requests.post(
            server.url + path, body, headers={**OWNER, "Content-Type": "multipart/related; boundary=b"}, timeout=30
        )
        assert answer.status_code == 400, (path, answer.status_code, answer.text)
    assert JSON(server, bucket).names() == []


@pytest.mark.parametrize("body", [
    "", "x", "--b--", "--b\r\n", "PART", "PART--b--", "PARTPART--b", "PARTPARTPART--b--", "--b\r\n\r\n{\r\n--b\r\n\r\nx\r\n--b--",
])
def test_a_body_that_is_not_of_two_parts(server, project, body):
    bucket = f"{project}.appspot.com"
    body = body.replace("PART", "--b\r\nContent-Type: application/json\r\n\r\n{}\r\n")
    for path in (f"/upload/storage/v1/b/{bucket}/o?uploadType=multipart&name=o", f"/v0/b/{bucket}/o?name=o"):
        headers = {**OWNER, "Content-Type": "multipart/related; boundary=b", "X-Goog-Upload-Protocol": "multipart"}
        answer = requests.post(server.url + path, body.encode(), headers=headers, timeout=30)
        assert answer.status_code == 400, (path, answer.status_code, answer.text)
    assert JSON(server, bucket).names() == []


def test_buckets_of_nobody(production, authority):
    """In production a bucket is made by an administrator, or is a project's default."""
    key = {"Authorization": f"Bearer {production.administrator_key}"}
    for path in ("/storage/v1/b/nobodys-bucket/o", "/v0/b/nobodys-bucket/o", "/nobodys-bucket", "/nobodys-bucket/a",
                 "/v0/b/nobodys-bucket/o/a", "/storage/v1/b/nobodys-bucket/o/a"):
        answer = requests.get(production.url + path, headers=key, verify=authority, timeout=30)
        assert answer.status_code == 404, (path, answer.text)
    for method, path in (("POST", "/upload/storage/v1/b/nobodys-bucket/o?uploadType=media&name=a"),
                         ("POST", "/v0/b/nobodys-bucket/o?name=a"), ("PUT", "/nobodys-bucket/a"),
                         ("POST", "/nobodys-bucket/a?uploads")):
        answer = requests.request(method, production.url + path, data=b"x", headers=key, verify=authority, timeout=30)
        assert answer.status_code == 404, (path, answer.text)


# Bounds


def test_uploads_that_a_user_does_not_end_are_bounded(tmp_path):
    """A hundred of one user, the next is refused with 402; others go on."""
    brasa = servers.Brasa(tmp_path / "data").start()
    try:
        bucket = "bounds.appspot.com"
        firebase.set_rules(brasa, firebase.OWN_FOLDER, bucket)
        ana, bea = (firebase.Storage(brasa, bucket, tokens.unsigned("bounds", name)) for name in ("ana", "bea"))
        urls = [ana.start(f"users/ana/{number}").headers["X-Goog-Upload-URL"] for number in range(100)]
        refused = ana.start("users/ana/more")
        assert refused.status_code == 402 and refused.json()["error"]["code"] == 402
        assert bea.start("users/bea/1").status_code == 200
        assert bea.start("users/bea/2", 17 << 30).status_code == 402
        assert ana.command(urls[0], "cancel").status_code == 200
        assert ana.start("users/ana/more").status_code == 200
        brasa.kill()
        brasa.start()
        ana = firebase.Storage(brasa, bucket, tokens.unsigned("bounds", "ana"))
        assert ana.start("users/ana/again").status_code == 402
    finally:
        brasa.stop()
