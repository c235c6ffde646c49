"""Conditions on what is there: nothing that a client changes undoes silently what another changed."""

from urllib.parse import quote

import pytest
import requests
from google.api_core.exceptions import PreconditionFailed
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage

from support import firebase_storage as firebase

pytestmark = pytest.mark.brasa_only

OWNER = {"Authorization": "Bearer owner"}
RELATED = b'--b\n\n{"name":"o"}\n--b\n\nnew\n--b--'


class Scene:
    """An object `o`, and another, by all dialects."""

    def __init__(self, server, name):
        self.server, self.bucket = server, name
        self.json, self.firebase = f"/storage/v1/b/{name}", f"/v0/b/{name}/o"
        assert self.send("POST", f"/upload{self.json}/o?uploadType=media&name=other", data=b"other").status_code == 200
        assert self.send("POST", f"{self.firebase}?name=o", data=b"old").status_code == 200
        assert self.send("GET", f"{self.firebase}/o").status_code == 200

    def send(self, method, path, headers=None, **options):
        url = path if path.startswith("http") else self.server.url + path
        return requests.request(method, url, headers={**OWNER, **(headers or {})}, timeout=30, **options)

    def state(self):
        """All objects with their generations and metagenerations, and the bucket's metageneration."""
        listed = self.send("GET", f"{self.json}/o").json()["items"]
        bucket = self.send("GET", self.json).json()["metageneration"]
        return {item["name"]: (item["generation"], item["metageneration"]) for item in listed}, bucket

    def tag(self, path=None):
        return self.send("GET", path or f"{self.json}/o/o").json()["etag"]


@pytest.fixture
def scene(server, project):
    return Scene(server, f"{project}.appspot.com")


def by(method, path, **options):
    def act(scene, headers):
        given = {**options, "headers": {**options.get("headers", {}), **headers}}
        return scene.send(method, path.format(json=scene.json, firebase=scene.firebase, bucket=scene.bucket), **given)
    return act


def resumable(start, finish):
    def act(scene, headers):
        begun = start(scene, headers)
        return begun if begun.status_code != 200 else finish(scene, begun)
    return act


def in_a_batch(method, body=""):
    def act(scene, headers):
        lines = [f"{method} {scene.json}/o/o HTTP/1.1", "Content-Type: application/json"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        call = "\n".join(["--b", "Content-Type: application/http", "", *lines, "", body, "--b--"])
        answer = scene.send("POST", "/batch/storage/v1", {"Content-Type": "multipart/mixed; boundary=b"}, data=call)
        inner = requests.Response()
        inner.status_code = int(answer.text.split("HTTP/1.1 ")[1].split(" ")[0])
        return inner
    return act


def token(scene, headers):
    return scene.send("POST", f"{scene.firebase}/o?create_token=true", headers)


# What changes the object `o`.
WRITES = {
    "patch": by("PATCH", "{json}/o/o", json={"cacheControl": "no-store"}),
    "patch by POST": by("POST", "{json}/o/o", json={"cacheControl": "no-store"}, headers={"X-HTTP-Method-Override": "PATCH"}),
    "update": by("PUT", "{json}/o/o", json={"cacheControl": "no-store"}),
    "delete": by("DELETE", "{json}/o/o"),
    "media": by("POST", "/upload{json}/o?uploadType=media&name=o", data=b"new"),
    "multipart": by("POST", "/upload{json}/o?uploadType=multipart", data=RELATED, headers={"Content-Type": "multipart/related; boundary=b"}),
    "resumable": resumable(
        by("POST", "/upload{json}/o?uploadType=resumable&name=o"),
        lambda scene, begun: scene.send("PUT", begun.headers["Location"], data=b"new")),
    "copy": by("POST", "{json}/o/other/copyTo/b/{bucket}/o/o"),
    "rewrite": by("POST", "{json}/o/other/rewriteTo/b/{bucket}/o/o"),
    "move": by("POST", "{json}/o/other/moveTo/o/o"),
    "compose": by("POST", "{json}/o/o/compose", json={"sourceObjects": [{"name": "other"}]}),
    "patch in a batch": in_a_batch("PATCH", '{"cacheControl":"no-store"}'),
    "delete in a batch": in_a_batch("DELETE"),
    "patch (Firebase)": by("PATCH", "{firebase}/o", json={"cacheControl": "no-store"}),
    "delete (Firebase)": by("DELETE", "{firebase}/o"),
    "tokens (Firebase)": token,
    "upload (Firebase)": by("POST", "{firebase}?name=o", data=b"new"),
    "multipart (Firebase)": by("POST", "{firebase}?name=o", data=RELATED, headers={"Content-Type": "multipart/related; boundary=b"}),
    "resumable (Firebase)": resumable(
        by("POST", "{firebase}?name=o", headers={"X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start"}),
        lambda scene, begun: scene.send(
            "POST", begun.headers["X-Goog-Upload-URL"], {"X-Goog-Upload-Command": "upload, finalize", "X-Goog-Upload-Offset": "0"}, data=b"new")),
}


@pytest.mark.parametrize("write", WRITES)
def test_a_write_keeps_to_the_conditions_of_its_headers(scene, write):
    act = WRITES[write]
    stale = scene.tag()
    assert scene.send("PATCH", f"{scene.json}/o/o", json={"metadata": {"by": "another"}}).status_code == 200
    tag, before = scene.tag(), scene.state()
    refused = [
        {"If-Match": stale}, {"If-Match": f'"{stale}"'}, {"If-Match": f'"{stale}", "x"'}, {"If-None-Match": "*"},
        {"If-None-Match": f'"{tag}"'}, {"If-None-Match": tag}, {"If-Match": tag, "If-None-Match": tag},
    ]
    for headers in refused:
        answer = act(scene, headers)
        assert answer.status_code == 412, (headers, answer.status_code, answer.text)
        assert scene.state() == before, headers
    for name in ("If-Unmodified-Since", "If-Modified-Since"):
        answer = act(scene, {name: "Sat, 31 Jan 2026 12:00:00 GMT"})
        assert answer.status_code == 501, answer.text
        assert scene.state() == before
    done = act(scene, {"If-Match": f'"x", W/"{tag}"', "If-None-Match": stale})
    assert done.status_code in (200, 204), done.text
    assert scene.state() != before


@pytest.mark.parametrize("write", ["media", "multipart", "resumable", "copy", "rewrite", "move", "compose", "upload (Firebase)"])
def test_what_is_not_there_has_no_tag(scene, write):
    assert scene.send("DELETE", f"{scene.json}/o/o").status_code == 204
    assert WRITES[write](scene, {"If-Match": "*"}).status_code == 412
    assert WRITES[write](scene, {"If-None-Match": "*"}).status_code == 200
    if write != "move":
        assert WRITES[write](scene, {"If-None-Match": "*"}).status_code == 412


def test_an_upload_that_another_overtook_does_not_finish(scene):
    tag = scene.tag()
    begun = scene.send("POST", f"/upload{scene.json}/o?uploadType=resumable&name=o", {"If-Match": tag})
    assert scene.send("PATCH", f"{scene.json}/o/o", json={"metadata": {"by": "another"}}).status_code == 200
    before = scene.state()
    assert scene.send("PUT", begun.headers["Location"], data=b"new").status_code == 412
    assert scene.state() == before


READS = {
    "metadata": "{json}/o/o", "media": "{json}/o/o?alt=media", "download": "/download{json}/o/o?alt=media",
    "metadata (Firebase)": "{firebase}/o", "media (Firebase)": "{firebase}/o?alt=media", "bucket": "{json}",
}


@pytest.mark.parametrize("read", READS)
def test_a_read_keeps_to_the_conditions_of_its_headers(scene, read):
    path = READS[read].format(json=scene.json, firebase=scene.firebase)
    plain = scene.send("GET", path)
    tag = scene.tag(scene.json if read == "bucket" else None)
    assert plain.headers["ETag"] == f'"{tag}"'
    if "metadata" in read:
        assert plain.json()["etag"] == tag
    for known in (tag, f'"{tag}"', f'W/"{tag}"', f'"x", "{tag}"', "*"):
        answer = scene.send("GET", path, {"If-None-Match": known})
        assert (answer.status_code, answer.content, answer.headers.get("ETag")) == (304, b"", f'"{tag}"'), known
        assert scene.send("GET", path, {"If-Match": known}).content == plain.content
    assert scene.send("GET", path, {"If-None-Match": '"x"'}).content == plain.content
    assert scene.send("GET", path, {"If-Match": '"x"'}).status_code == 412
    assert scene.send("HEAD", path, {"If-None-Match": tag}).status_code == 304
    assert scene.send("GET", path, {"If-Modified-Since": "Sat, 31 Jan 2026 12:00:00 GMT"}).status_code == 200
    late = scene.send("GET", path, {"If-Unmodified-Since": "Sat, 31 Jan 2026 12:00:00 GMT"})
    assert late.status_code == (412 if "media" in path else 501)


@pytest.mark.parametrize("path", ["{firebase}/o", "{firebase}/o?alt=media", "{json}/o/o", "{json}/o/o?alt=media"])
def test_a_read_keeps_to_the_conditions_of_its_query(scene, path):
    generation, metageneration = scene.state()[0]["o"]
    mark = "&" if "?" in path else "?"
    path = path.format(json=scene.json, firebase=scene.firebase) + mark
    scene.send("GET", path.rstrip("?&"))
    for query, status in [
        (f"ifGenerationMatch={generation}", 200), ("ifGenerationMatch=1", 412), (f"ifGenerationNotMatch={generation}", 304),
        (f"ifMetagenerationMatch={metageneration}", 200), ("ifMetagenerationMatch=100", 412),
        (f"ifMetagenerationNotMatch={metageneration}", 304), ("ifMetagenerationNotMatch=100", 200),
    ]:
        assert scene.send("GET", path + query).status_code == status, query


def test_a_bucket_keeps_to_conditions(scene):
    assert scene.send("PATCH", scene.json, json={"labels": {"a": "1"}}).status_code == 200
    tag, before = scene.tag(scene.json), scene.state()
    empty = f"e-{scene.bucket.split('.')[0]}"
    assert scene.send("POST", f"/storage/v1/b?project={scene.bucket.split('.')[0]}", json={"name": empty}).status_code == 200
    for method, options in (("PATCH", {"json": {"labels": {"a": "2"}}}), ("PUT", {"json": {}}), ("DELETE", {})):
        for headers in ({"If-Match": '"x"'}, {"If-None-Match": "*"}, {"If-None-Match": tag}):
            assert scene.send(method, scene.json, headers, **options).status_code == 412, (method, headers)
        assert scene.send(method, scene.json, {"If-Unmodified-Since": "x"}, **options).status_code == 501
    assert scene.state() == before
    changed = scene.send("PATCH", scene.json, {"If-Match": tag}, json={"labels": {"a": "2"}})
    assert changed.status_code == 200 and changed.headers["ETag"] == f'"{changed.json()["etag"]}"' != f'"{tag}"'
    assert scene.send("DELETE", f"/storage/v1/b/{empty}", {"If-Match": "*"}).status_code == 204


@pytest.mark.parametrize("method, path, options", [
    ("POST", "/storage/v1/b?project=p", {"json": {"name": "never-made"}}),
    ("POST", "/batch/storage/v1", {"data": b"--b\n\nPOST /storage/v1/b?project=p HTTP/1.1\n\n{}\n--b--",
                                   "headers": {"Content-Type": "multipart/mixed; boundary=b"}}),
    ("POST", "/storage/v1/projects/p/hmacKeys?serviceAccountEmail=a@p.iam.brasa", {}),
    ("PUT", "/storage/v1/projects/p/hmacKeys/GOOG1", {"json": {"state": "INACTIVE"}}),
    ("PUT", "/{bucket}?cors", {"data": b"<CorsConfig/>"}),
])
@pytest.mark.parametrize("name", ["If-Match", "If-None-Match", "If-Unmodified-Since"])
def test_what_cannot_keep_to_a_condition_refuses_it(scene, method, path, options, name):
    headers = {**options.get("headers", {}), name: "*"}
    answer = scene.send(method, path.format(bucket=scene.bucket), **{**options, "headers": headers})
    if "batch" in path:
        assert "HTTP/1.1 501" in answer.text
    else:
        assert answer.status_code == 501, answer.text
    assert scene.send("GET", "/storage/v1/b?project=p&prefix=never-made").json().get("items") is None


def test_googles_client_sees_a_lost_update(server, project, monkeypatch):
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", server.url)
    client = storage.Client(project=project, credentials=AnonymousCredentials())
    blob = client.bucket(f"{project}.appspot.com").blob("a b")
    blob.upload_from_string("one")
    mine, other = blob.bucket.get_blob("a b"), blob.bucket.get_blob("a b")
    other.metadata = {"by": "another"}
    other.patch()
    with pytest.raises(PreconditionFailed):
        blob.reload(if_etag_match=mine.etag)
    with pytest.raises(PreconditionFailed):
        blob.download_as_bytes(if_etag_match=mine.etag)
    assert blob.download_as_bytes(if_etag_match=other.etag) == b"one"
    assert blob.exists(if_etag_match=other.etag)
    path = f"{server.url}/storage/v1/b/{blob.bucket.name}/o/{quote('a b', safe='')}"
    lost = requests.patch(path, headers={**OWNER, "If-Match": mine.etag}, json={"metadata": {"by": "me"}}, timeout=30)
    assert lost.status_code == 412 and lost.json()["error"]["errors"][0]["reason"] == "conditionNotMet"
    blob.reload()
    assert blob.metadata == {"by": "another"}


def test_firebases_rules_come_before_conditions(server, project):
    """Who may not read learns nothing from a condition."""
    bucket = f"{project}.appspot.com"
    firebase.set_rules(server, firebase.OWN_FOLDER, bucket)
    assert firebase.Storage(server, bucket, "owner").upload_raw("a", b"x").status_code == 200
    for headers in ({"If-Match": "x"}, {"If-None-Match": "*"}):
        for method in ("GET", "DELETE", "PATCH"):
            answer = requests.request(method, f"{server.url}/v0/b/{bucket}/o/a", headers=headers, json={}, timeout=30)
            assert answer.status_code == 403, (method, headers, answer.text)
