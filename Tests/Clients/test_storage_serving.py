"""How objects are served: compressed content, pages of other origins, and paths that are nobody's."""

import gzip
import hashlib
import os
import zlib

import pytest
import requests
import urllib3
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage

from support import browser as browsers, firebase_storage as firebase

pytestmark = pytest.mark.brasa_only

TEXT = ("Compressed once, read by all. " * 40_000).encode()


@pytest.fixture
def bucket(server, project, monkeypatch):
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", server.url)
    client = storage.Client(project=project, credentials=AnonymousCredentials())
    return client.bucket(f"{project}.appspot.com")


@pytest.fixture(params=["json", "xml", "firebase"])
def read(server, bucket, request):
    """Downloads by one of the three ways; the bytes come as they are sent."""
    addresses = {
        "json": f"{server.url}/download/storage/v1/b/{bucket.name}/o/{{}}?alt=media",
        "xml": f"{server.url}/{bucket.name}/{{}}",
        "firebase": f"{server.url}/v0/b/{bucket.name}/o/{{}}?alt=media",
    }

    def download(name, method="GET", **headers):
        headers = {"Authorization": "Bearer owner", "Accept-Encoding": "identity",
                   **{key.replace("_", "-"): value for key, value in headers.items()}}
        with requests.request(
            method, addresses[request.param].format(name), headers=headers, stream=True, timeout=30
        ) as answer:
            return answer, answer.raw.read(decode_content=False)
    return download


def put(bucket, name, content, encoding="gzip", cache_control=None):
    blob = bucket.blob(name)
    blob.content_encoding, blob.cache_control = encoding, cache_control
    blob.upload_from_string(content, content_type="text/plain")
    return blob


# From memory


def test_what_memory_has_is_served_as_from_the_disk(bucket, read):
    put(bucket, "small", b"0123456789", encoding=None)
    tag = read("small")[0].headers["ETag"]
    asked = [
        {}, {"Range": "bytes=2-4"}, {"Range": "bytes=-3"}, {"Range": "bytes=20-"}, {"If_None_Match": tag},
        {"If_Match": '"other"'}, {"Origin": "http://page.test"}, {"method": "HEAD"},
    ]
    for what in asked:
        # A part of an answer alone does not come to memory: each kind is asked before the whole and after it.
        put(bucket, "small", b"0123456789", encoding=None)
        first, content = read("small", **{key: value for key, value in what.items() if key != "If_None_Match"})
        read("small")
        again, same = read("small", **what)
        if "If_None_Match" in what:
            tag = again.headers["ETag"]
            first, content = read("small", If_None_Match=tag)
            again, same = read("small", If_None_Match=tag)
        assert (again.status_code, same) == (first.status_code, content), what
        hidden = {"x-request-id"}
        shown = [{k.lower(): v for k, v in a.headers.items() if k.lower() not in hidden} for a in (first, again)]
        assert shown[0] == shown[1], what


def test_what_was_replaced_or_deleted_is_not_served_from_memory(bucket, read):
    for number in range(3):
        put(bucket, "changing", f"content {number}", encoding=None)
        assert [read("changing")[1] for _ in range(3)] == [f"content {number}".encode()] * 3
    blob = bucket.blob("changing")
    blob.metadata = {"a": "b"}
    blob.patch()
    assert read("changing")[0].headers["x-goog-metageneration"] == "2"
    blob.delete()
    assert read("changing")[0].status_code == 404


# From open files

LARGE = 5_000_000


def test_a_large_object_is_served_whole_and_in_ranges(bucket, read):
    content = os.urandom(LARGE)
    put(bucket, "large", content, encoding=None)
    answer, got = read("large")
    assert answer.status_code == 200 and got == content
    assert answer.headers["Content-Length"] == str(LARGE) and "crc32c=" in answer.headers["x-goog-hash"]
    answer, got = read("large", method="HEAD")
    assert answer.status_code == 200 and got == b"" and answer.headers["Content-Length"] == str(LARGE)
    for first, last in [(0, 0), (1 << 20, 1 << 20), ((1 << 20) - 1, 1 << 20), (100, 3_999_999), (LARGE - 1, LARGE + 5)]:
        answer, got = read("large", Range=f"bytes={first}-{last}")
        assert answer.status_code == 206 and got == content[first:last + 1], (first, last)
        assert answer.headers["Content-Range"] == f"bytes {first}-{min(last, LARGE - 1)}/{LARGE}"
        assert "x-goog-hash" not in answer.headers
    answer, got = read("large", Range=f"bytes={LARGE}-")
    assert answer.status_code == 416


def test_a_connection_serves_one_large_object_after_the_other(server, bucket):
    contents = {f"large/{number}": os.urandom(1_500_000 + number) for number in range(3)}
    for name, content in contents.items():
        put(bucket, name, content, encoding=None)
    with requests.Session() as session:
        for name, content in list(contents.items()) * 3:
            escaped = name.replace("/", "%2F")
            answer = session.get(f"{server.url}/storage/v1/b/{bucket.name}/o/{escaped}?alt=media", timeout=30)
            assert answer.content == content


def test_an_object_that_is_deleted_or_replaced_while_it_is_sent_arrives_as_it_was(server, bucket):
    # More than the system takes of it before the client reads.
    content = os.urandom(1 << 20) * 40
    url = f"{server.url}/storage/v1/b/{bucket.name}/o/gone?alt=media"
    for change in ("delete", "replace"):
        put(bucket, "gone", content, encoding=None)
        with requests.get(url, stream=True, timeout=30) as answer:
            begun = answer.raw.read(1_000)
            if change == "delete":
                bucket.blob("gone").delete()
            else:
                put(bucket, "gone", b"other", encoding=None)
            assert begun + answer.raw.read() == content


def test_a_client_that_goes_away_amid_a_large_object_keeps_nobody(server, bucket):
    content = os.urandom(1 << 20) * 20
    put(bucket, "left", content, encoding=None)
    url = f"{server.url}/storage/v1/b/{bucket.name}/o/left?alt=media"
    for _ in range(20):
        with requests.get(url, stream=True, timeout=30) as answer:
            answer.raw.read(100_000)
    assert hashlib.sha256(requests.get(url, timeout=30).content).digest() == hashlib.sha256(content).digest()


# Decompressive transcoding


def test_who_takes_no_gzip_gets_the_content_expanded(bucket, read):
    stored = gzip.compress(TEXT)
    put(bucket, "text", stored)
    for asked in ("gzip", "br, gzip;q=0.1", "*"):
        answer, content = read("text", Accept_Encoding=asked)
        assert content == stored and answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["Content-Length"] == str(len(stored)) and "md5=" in answer.headers["x-goog-hash"]
        assert "Accept-Encoding" in answer.headers["Vary"]
    tag = answer.headers["ETag"]
    for asked in ("identity", "", "br", "gzip;q=0"):
        answer, content = read("text", Accept_Encoding=asked)
        assert answer.status_code == 200 and content == TEXT
        assert "Content-Encoding" not in answer.headers and "Content-Length" not in answer.headers
        # Clients check what they got against these.
        assert "x-goog-hash" not in answer.headers and answer.headers["ETag"] == f"W/{tag}"
        assert answer.headers["x-goog-stored-content-encoding"] == "gzip"
        assert answer.headers["x-goog-stored-content-length"] == str(len(stored))
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    answer, content = read("text", If_None_Match=f"W/{tag}")
    assert answer.status_code == 304 and content == b""


def test_ranges_are_of_what_is_stored_and_mean_nothing_of_what_is_expanded(bucket, read):
    stored = gzip.compress(TEXT)
    put(bucket, "text", stored)
    answer, content = read("text", Accept_Encoding="gzip", Range="bytes=10-19")
    assert answer.status_code == 206 and content == stored[10:20]
    answer, content = read("text", Range="bytes=10-19")
    assert answer.status_code == 200 and content == TEXT and "Accept-Ranges" not in answer.headers
    answer, content = read("text", Range="bytes=99999999999-")
    assert answer.status_code == 200 and content == TEXT


@pytest.mark.parametrize("content, encoding, cache_control", [
    (gzip.compress(b"a"), "gzip", "no-transform"), (gzip.compress(b"a"), "gzip", "public, no-transform"),
    (gzip.compress(b"a"), None, None), (b"no gzip at all", "gzip", None), (b"\x1f", "gzip", None), (b"", "gzip", None),
    (zlib.compress(b"a"), "deflate", None),
], ids=["no-transform", "public", "unencoded", "text", "cut", "empty", "deflate"])
def test_what_is_not_to_be_expanded_is_sent_as_it_is_stored(bucket, read, content, encoding, cache_control):
    put(bucket, "a", content, encoding, cache_control)
    answer, sent = read("a")
    assert answer.status_code == 200 and sent == content
    assert answer.headers.get("Content-Encoding") == encoding and "md5=" in answer.headers["x-goog-hash"]


def test_members_follow_one_another_and_damage_ends_the_answer(bucket, read):
    parts = [put(bucket, f"part{number}", gzip.compress(bytes([number]) * 1_000)) for number in range(3)]
    whole = bucket.blob("whole")
    whole.content_encoding = "gzip"
    whole.compose(parts)
    assert read("whole")[1] == b"".join(bytes([number]) * 1_000 for number in range(3))
    for name, content in (("cut", gzip.compress(os.urandom(600_000))[:-5]), ("flipped", flipped(gzip.compress(TEXT)))):
        put(bucket, name, content)
        with pytest.raises(urllib3.exceptions.HTTPError):
            read(name)


def flipped(content):
    return content[:-6] + bytes([content[-6] ^ 1]) + content[-5:]


def test_a_bomb_does_not_go_off(server, bucket, read):
    """A gigabyte of nothing in a megabyte: the answer ends at 256 MB."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(1 << 20)
    bomb = b"".join([compressor.compress(zeros) for _ in range(600)] + [compressor.flush()])
    put(bucket, "bomb", bomb)
    received = 0
    with pytest.raises(requests.exceptions.RequestException):
        with requests.get(
            f"{server.url}/{bucket.name}/bomb", headers={"Accept-Encoding": "identity"}, stream=True, timeout=60
        ) as answer:
            for part in answer.iter_content(1 << 20):
                received += len(part)
    assert received <= 256 << 20


def test_googles_client_reads_both(bucket):
    put(bucket, "text", gzip.compress(TEXT))
    blob = bucket.get_blob("text")
    assert blob.download_as_bytes() == TEXT
    assert gzip.decompress(blob.download_as_bytes(raw_download=True)) == TEXT


# Pages of other origins


CORS = [
    {"origin": ["https://app.example"], "method": ["GET", "PUT"],
     "responseHeader": ["Content-Type", "x-goog-meta-*"], "maxAgeSeconds": 60},
    {"origin": ["*"], "method": ["HEAD"], "responseHeader": ["ETag"]},
]


def preflight(url, origin, method, headers=None):
    asked = {"Origin": origin, "Access-Control-Request-Method": method}
    if headers:
        asked["Access-Control-Request-Headers"] = headers
    return requests.options(url, headers=asked, timeout=30)


def test_the_xml_api_keeps_to_the_buckets_origins(server, bucket):
    url = f"{server.url}/{bucket.name}/a/b.txt"
    bucket.blob("a/b.txt").upload_from_string("x")
    for answer in (preflight(url, "https://app.example", "PUT"), preflight(f"{server.url}/unknown-bucket/a", "x", "GET")):
        assert answer.status_code == 200
        assert not [name for name in answer.headers if name.lower().startswith("access-control")]
    bucket.reload()
    bucket.cors = CORS
    bucket.patch()
    assert bucket.cors == CORS
    answer = preflight(url, "https://app.example", "PUT", "content-type,x-goog-meta-a,authorization")
    assert answer.headers["Access-Control-Allow-Origin"] == "https://app.example"
    assert answer.headers["Access-Control-Allow-Methods"] == "GET, PUT"
    assert answer.headers["Access-Control-Allow-Headers"] == "content-type, x-goog-meta-a"
    assert answer.headers["Access-Control-Max-Age"] == "60" and "Origin" in answer.headers["Vary"]
    for origin, method in (("https://app.example", "DELETE"), ("https://b.example", "GET"), ("null", "PUT")):
        answer = preflight(url, origin, method)
        assert answer.status_code == 200 and "Access-Control-Allow-Origin" not in answer.headers, (origin, method)
    assert preflight(url, "https://b.example", "HEAD").headers["Access-Control-Allow-Origin"] == "*"
    # The answers themselves, errors among them; a loopback page is an administrator in development.
    bucket.cors = [{**CORS[0], "origin": ["http://127.0.0.1:1"]}]
    bucket.patch()
    own = {"Origin": "http://127.0.0.1:1"}
    for answer, status in ((requests.get(url, headers=own, timeout=30), 200),
                           (requests.get(url + "x", headers=own, timeout=30), 404)):
        assert answer.status_code == status
        assert answer.headers["Access-Control-Allow-Origin"] == "http://127.0.0.1:1"
        assert answer.headers["Access-Control-Expose-Headers"] == "Content-Type, x-goog-meta-*"
        assert "Access-Control-Allow-Credentials" not in answer.headers
    other = requests.get(url, headers={"Origin": "http://127.0.0.1:2"}, timeout=30)
    assert other.status_code == 200 and "Access-Control-Allow-Origin" not in other.headers
    assert "Access-Control-Allow-Origin" not in requests.get(url, timeout=30).headers


def test_the_other_apis_are_for_pages_of_all_origins(server, bucket):
    """As with Google, where a bucket's configuration is about the XML API alone."""
    for path, method in ((f"/v0/b/{bucket.name}/o/a", "GET"), (f"/storage/v1/b/{bucket.name}/o/a", "PATCH"),
                         (f"/upload/storage/v1/b/{bucket.name}/o", "PUT")):
        answer = preflight(f"{server.url}{path}", "http://localhost:3", method, "authorization")
        assert answer.status_code == 200 and answer.headers["Access-Control-Allow-Origin"] == "http://localhost:3", path
        assert answer.headers["Access-Control-Allow-Headers"] == "authorization"


def test_origins_are_read_and_set_as_xml(server, bucket):
    url, owner = f"{server.url}/{bucket.name}?cors", {"Authorization": "Bearer owner"}
    assert requests.get(url, headers=owner, timeout=30).text.endswith("<CorsConfig></CorsConfig>")
    xml = ("<CorsConfig><Cors><Origins><Origin>http://a.test</Origin><Origin>http://b.test</Origin></Origins>"
           "<Methods><Method>GET</Method></Methods><ResponseHeaders><ResponseHeader>x-a</ResponseHeader></ResponseHeaders>"
           "<MaxAgeSec>60</MaxAgeSec></Cors></CorsConfig>")
    assert requests.put(url, xml, headers=owner, timeout=30).status_code == 200
    assert requests.get(url, headers=owner, timeout=30).text.endswith(xml)
    bucket.reload()
    assert bucket.cors == [
        {"origin": ["http://a.test", "http://b.test"], "method": ["GET"], "responseHeader": ["x-a"], "maxAgeSeconds": 60}
    ]
    for wrong in ("<Other/>", "<CorsConfig><Cors><MaxAgeSec>x</MaxAgeSec></Cors></CorsConfig>", "<CorsConfig>", ""):
        assert requests.put(url, wrong, headers=owner, timeout=30).status_code == 400, wrong
    assert requests.put(f"{server.url}/{bucket.name}", "", headers=owner, timeout=30).status_code == 409


@pytest.mark.parametrize("cors", [
    "x", [{"origin": "*"}], [{"method": ["NO METHOD"]}], [{"maxAgeSeconds": -1}], [{"unknown": []}], {},
])
def test_origins_that_are_none_are_refused(server, bucket, cors):
    url = f"{server.url}/storage/v1/b/{bucket.name}"
    assert requests.patch(url, json={"cors": cors}, timeout=30).status_code == 400
    assert "cors" not in requests.get(url, timeout=30).json()


@pytest.fixture(scope="module")
def pages():
    made = browsers.Pages()
    yield made
    made.close()


def test_a_page_reads_and_writes_what_the_bucket_lets_it(server, bucket, browser, pages):
    url = f"{server.url}/{bucket.name}"
    bucket.blob("a.txt").upload_from_string("hello")
    browser.open(f"{pages.url}/origins.html")

    def attempt():
        browser.run("window.start(...arguments)", url)
        return browser.wait("return window.result")

    assert attempt() == ["blocked", "blocked", "blocked", "blocked"]
    bucket.reload()
    bucket.cors = [{"origin": [pages.url], "method": ["GET", "PUT"], "responseHeader": ["Content-Type", "x-goog-generation"]}]
    bucket.patch()
    first, put, read, deleted = attempt()
    assert first[:2] == [200, "hello"] and int(first[2]) > 0
    assert put[0] == 200 and read[:2] == [200, "from the page"]
    assert deleted == "blocked"
    assert bucket.blob("page.txt").exists()


# Paths of nobody


@pytest.mark.parametrize("path", [
    "/v1/projects/p/nothing", "/v1/nothing", "/storage/v1/nothing", "/v0/b/x.appspot.com/nothing", "/emulator/v1/nothing",
    "/upload/storage/v1/nothing", "/google.firestore.v1.Firestore/Nothing", "/b/bucket/nothing", "/batch/nothing",
    "/storage.googleapis.com/storage/v1/nothing", "/healthz/nothing", "/internal/nothing",
])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_what_is_unknown_below_a_service_is_not_xml(server, method, path):
    answer = requests.request(method, f"{server.url}{path}", timeout=30)
    assert answer.status_code == 404 and not answer.content.startswith(b"<?xml"), answer.text
    assert answer.json()["error"]["code"] == 404


def test_what_is_unknown_below_a_bucket_is(server, bucket):
    bucket.blob("a").upload_from_string("x")
    for path, code in ((f"/{bucket.name}/nothing", b"NoSuchKey"), ("/unknown-bucket-a/nothing/v1", b"NoSuchBucket"),
                       ("/UNKNOWN/nothing", b"NoSuchBucket")):
        answer = requests.get(f"{server.url}{path}", timeout=30)
        assert answer.status_code == 404 and code in answer.content, (path, answer.text)


def test_large_uploads_by_every_way_are_read_as_they_come(server, bucket):
    """More bytes than the ledger lets one connection hold."""
    content = os.urandom(1 << 20) * 80
    digest = hashlib.md5(content).hexdigest()
    caller = firebase.Storage(server, bucket.name, "owner")
    assert caller.upload_raw("raw", content).status_code == 200
    assert caller.upload("multipart", content).status_code == 200
    assert requests.put(f"{server.url}/{bucket.name}/xml", content, timeout=60).status_code == 200
    for name in ("raw", "multipart", "xml"):
        assert hashlib.md5(caller.download(name).content).hexdigest() == digest
