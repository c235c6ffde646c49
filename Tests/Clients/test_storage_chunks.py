"""Bodies in chunks with trailing checksums, as SDKs of S3 send them, by hand: what counts and what is refused."""

import base64
import datetime
import hashlib
import hmac
import socket
import xml.etree.ElementTree as xml
import zlib

import pytest
import requests

from support import storage_tools as tools

pytestmark = pytest.mark.brasa_only

CONTENT = b"0123456789" * 20_000


class Signer:
    """Signs requests and chunks as the documentation of S3 says, with none of our code."""

    def __init__(self, server, key):
        self.host = server.host
        self.access_id, secret = key
        time = datetime.datetime.now(datetime.timezone.utc)
        self.stamp, date = time.strftime("%Y%m%dT%H%M%SZ"), time.strftime("%Y%m%d")
        self.scope = f"{date}/us-east-1/s3/aws4_request"
        self.key = ("AWS4" + secret).encode()
        for part in self.scope.split("/"):
            self.key = hmac.new(self.key, part.encode(), hashlib.sha256).digest()

    def sign(self, kind, *lines):
        text = "\n".join([kind, self.stamp, self.scope, *lines])
        return hmac.new(self.key, text.encode(), hashlib.sha256).hexdigest()

    def headers(self, method, path, payload, more):
        signed = {"host": self.host, "x-amz-date": self.stamp, "x-amz-content-sha256": payload, **more}
        names = ";".join(sorted(signed))
        lines = "".join(f"{name}:{signed[name]}\n" for name in sorted(signed))
        request = f"{method}\n{path}\n\n{lines}\n{names}\n{payload}"
        self.previous = self.sign("AWS4-HMAC-SHA256", hashlib.sha256(request.encode()).hexdigest())
        del signed["host"]
        credential = f"AWS4-HMAC-SHA256 Credential={self.access_id}/{self.scope},SignedHeaders={names}"
        return {**signed, "Authorization": f"{credential},Signature={self.previous}"}

    def chunk(self, content):
        nothing = hashlib.sha256(b"").hexdigest()
        self.previous = self.sign("AWS4-HMAC-SHA256-PAYLOAD", self.previous, nothing, hashlib.sha256(content).hexdigest())
        return f"{len(content):x};chunk-signature={self.previous}\r\n".encode() + content + (b"\r\n" if content else b"")

    def trailer(self, line):
        digest = hashlib.sha256(f"{line}\n".encode()).hexdigest()
        return f"{line}\r\nx-amz-trailer-signature:{self.sign('AWS4-HMAC-SHA256-TRAILER', self.previous, digest)}\r\n".encode()


@pytest.fixture
def signer(server, project):
    return Signer(server, tools.hmac_key(server, project))


@pytest.fixture
def path(project):
    return f"/{project}.appspot.com/a"


def crc32(content):
    return base64.b64encode(zlib.crc32(content).to_bytes(4)).decode()


def code(answer):
    return xml.fromstring(answer.content).find("Code").text


def read(server, path):
    return requests.get(server.url + path, timeout=30)


@pytest.fixture
def put(server, signer, path):
    """Sends a body in that form, with a function that changes it before it is sent."""
    def send(form, change=lambda body: body, content=CONTENT, length=None, trailer=None):
        line = f"x-amz-checksum-crc32:{trailer or crc32(content)}"
        more = {"x-amz-decoded-content-length": str(len(content) if length is None else length), "content-encoding": "aws-chunked"}
        if form.endswith("-TRAILER"):
            more["x-amz-trailer"] = "x-amz-checksum-crc32"
        headers = signer.headers("PUT", path, form, more)
        pieces = [content[start:start + 65_536] for start in range(0, len(content), 65_536)] + [b""]
        if form.startswith("STREAMING-UNSIGNED"):
            body = b"".join(b"%x\r\n" % len(piece) + piece + (b"\r\n" if piece else b"") for piece in pieces)
            body += f"{line}\r\n".encode()
        else:
            body = b"".join(signer.chunk(piece) for piece in pieces)
            body += signer.trailer(line) if form.endswith("-TRAILER") else b""
        return requests.put(server.url + path, change(body + b"\r\n"), headers=headers, timeout=30)
    return send


FORMS = ["STREAMING-AWS4-HMAC-SHA256-PAYLOAD", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"]


@pytest.mark.parametrize("form", FORMS)
def test_the_content_is_stored_without_its_chunks(server, put, path, form):
    answer = put(form)
    assert answer.status_code == 200, answer.text
    assert answer.headers["ETag"] == f'"{hashlib.md5(CONTENT).hexdigest()}"'
    if form.endswith("-TRAILER"):
        assert answer.headers["x-amz-checksum-crc32"] == crc32(CONTENT)
    found = read(server, path)
    assert found.content == CONTENT and "Content-Encoding" not in found.headers
    assert put(form, content=b"").status_code == 200 and read(server, path).content == b""


@pytest.mark.parametrize("form", FORMS)
def test_content_that_is_changed_or_cut_off_is_not_stored(server, put, path, form):
    changes = [
        ("another byte", lambda body: body.replace(b"5" * 1 + b"678", b"5578", 1)),
        ("the end is missing", lambda body: body[:70_000]),
        ("the last chunk is missing", lambda body: body[:body.rindex(b"\r\n0")]),
        ("no chunks", lambda body: CONTENT),
    ]
    for what, change in changes:
        answer = put(form, change)
        assert answer.status_code in (400, 403) and code(answer) in (
            "SignatureDoesNotMatch", "BadDigest", "IncompleteBody", "InvalidArgument", "MalformedTrailerError",
        ), (what, answer.text)
        assert read(server, path).status_code == 404, what
    for length in (len(CONTENT) - 1, len(CONTENT) + 1):
        assert put(form, length=length).status_code == 400, length
        assert read(server, path).status_code == 404
    if form.endswith("-TRAILER"):
        assert code(put(form, trailer=crc32(b"other"))) == "BadDigest"
        renamed = put(form, lambda body: body.replace(b"x-amz-checksum-crc32", b"x-amz-checksum-sha256"))
        assert renamed.status_code in (400, 403)
        assert read(server, path).status_code == 404


def test_a_signed_chunk_of_another_request_is_refused(server, put, signer, path):
    def first_twice(body):
        end = body.index(b"\r\n", body.index(b"\r\n") + 2) + 2
        return body[:end] + body
    answer = put(FORMS[0], first_twice, length=len(CONTENT) + 65_536)
    assert answer.status_code == 403 and code(answer) == "SignatureDoesNotMatch"
    assert read(server, path).status_code == 404


def test_forms_that_are_not_read_are_refused_by_name(server, signer, path):
    for form in ("STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", "STREAMING-X", "x"):
        headers = signer.headers("PUT", path, form, {"x-amz-decoded-content-length": "0"})
        answer = requests.put(server.url + path, b"", headers=headers, timeout=30)
        assert answer.status_code == 501 and form in answer.text
    unknown = {"x-amz-checksum-xxhash64": "AAAA"}
    answer = requests.put(server.url + path, b"x", headers=signer.headers("PUT", path, "UNSIGNED-PAYLOAD", unknown), timeout=30)
    assert answer.status_code == 501 and "x-amz-checksum-xxhash64" in answer.text
    # Without a length nobody knows how much is to come.
    answer = requests.put(server.url + path, b"0\r\n\r\n", headers=signer.headers("PUT", path, FORMS[2], {}), timeout=30)
    assert answer.status_code == 411 and code(answer) == "MissingContentLength"
    # Chunks that an unsigned request says are signed.
    answer = requests.put(
        server.url + path, b"0\r\n\r\n", headers={"x-amz-content-sha256": FORMS[0], "x-amz-decoded-content-length": "0"}, timeout=30
    )
    assert answer.status_code == 400
    assert read(server, path).status_code == 404


def test_a_checksum_in_a_header_is_checked(server, signer, path):
    algorithms = {
        "crc32": crc32(b"hello"), "crc32c": "mnG7TA==", "crc64nvme": "M3eFcAZSQlc=",
        "sha1": base64.b64encode(hashlib.sha1(b"hello").digest()).decode(),
        "sha256": base64.b64encode(hashlib.sha256(b"hello").digest()).decode(),
    }
    for name, value in algorithms.items():
        for content, status in ((b"hellO", 400), (b"hello", 200)):
            headers = signer.headers("PUT", path, "UNSIGNED-PAYLOAD", {f"x-amz-checksum-{name}": value})
            answer = requests.put(server.url + path, content, headers=headers, timeout=30)
            assert answer.status_code == status, (name, answer.text)
            if status == 400:
                assert code(answer) == "BadDigest"
            else:
                assert answer.headers[f"x-amz-checksum-{name}"] == value
    two = {"x-amz-checksum-crc32": algorithms["crc32"], "x-amz-checksum-sha1": algorithms["sha1"]}
    answer = requests.put(server.url + path, b"hello", headers=signer.headers("PUT", path, "UNSIGNED-PAYLOAD", two), timeout=30)
    assert answer.status_code == 400 and code(answer) == "InvalidRequest"


def test_a_client_that_waits_with_nothing_to_send_is_told_to_go_on(server, project, path):
    """aws takes the next response of the connection for this one where it is not told."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        for content in (b"", b"x", b""):
            head = f"PUT {path} HTTP/1.1\r\nHost: {server.host}\r\nExpect: 100-continue\r\nContent-Length: {len(content)}\r\n\r\n"
            connection.sendall(head.encode())
            lines = connection.makefile("rb", 0)
            assert lines.readline() == b"HTTP/1.1 100 Continue\r\n" and lines.readline() == b"\r\n"
            connection.sendall(content)
            assert lines.readline() == b"HTTP/1.1 200 OK\r\n"
            while lines.readline() != b"\r\n":
                pass
    assert read(server, path).content == b""
