"""Cloud Storage with Google's own client for Python, in development."""

import base64
import io
import os
import random

import google_crc32c
import pytest
import requests
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage
from google.cloud.storage import transfer_manager

from support import server as servers

pytestmark = pytest.mark.brasa_only

QUARTER = 256 << 10


@pytest.fixture(scope="module")
def files(server):
    """Google's client, as the emulator's variable points it."""
    os.environ["STORAGE_EMULATOR_HOST"] = f"http://{server.host}"
    made = storage.Client(project="files", credentials=AnonymousCredentials())
    yield made
    del os.environ["STORAGE_EMULATOR_HOST"]


@pytest.fixture
def bucket(files, project):
    return files.bucket(f"{project}.appspot.com")


def content(size, seed=7):
    return random.Random(seed).randbytes(size)


def checksum(data):
    return base64.b64encode(google_crc32c.Checksum(data).digest()).decode()


def url(server, path):
    return f"http://{server.host}{path}"


def test_a_file_is_what_was_uploaded(bucket):
    blob = bucket.blob("users/ana/photo é.png")
    blob.metadata = {"camera": "é"}
    blob.cache_control = "public, max-age=60"
    data = content(100_000)
    blob.upload_from_string(data, content_type="image/png")
    assert blob.crc32c == checksum(data)
    found = bucket.get_blob(blob.name)
    assert found.size == len(data)
    assert found.content_type == "image/png"
    assert found.metadata == {"camera": "é"}
    assert found.download_as_bytes() == data
    assert found.download_as_bytes(start=10, end=19) == data[10:20]
    assert found.download_as_bytes(start=99_990) == data[99_990:]
    assert bucket.get_blob("users/ana/other") is None
    with pytest.raises(exceptions.NotFound):
        bucket.blob("nothing").download_as_bytes()


def test_large_files_go_in_chunks_and_from_streams(bucket):
    data = content(3 * QUARTER + 1_234)
    chunked = bucket.blob("chunked", chunk_size=QUARTER)
    chunked.upload_from_file(io.BytesIO(data), size=len(data))
    assert chunked.download_as_bytes() == data
    # A stream whose size nobody knows.
    streamed = bucket.blob("streamed", chunk_size=QUARTER)
    with streamed.open("wb") as out:
        for start in range(0, len(data), 100_000):
            out.write(data[start:start + 100_000])
    streamed.reload()
    assert streamed.crc32c == checksum(data)
    with streamed.open("rb") as read:
        assert read.read() == data
    empty = bucket.blob("empty")
    empty.upload_from_string(b"")
    assert empty.download_as_bytes() == b""


def test_lists_fold_and_bound(bucket):
    for name in ["a", "a/1", "a/2", "a/b/3", "b/1", "c"]:
        bucket.blob(name).upload_from_string(name)
    listed = bucket.list_blobs(delimiter="/", page_size=2)
    names = [blob.name for page in listed.pages for blob in page]
    assert names == ["a", "c"]
    assert sorted(listed.prefixes) == ["a/", "b/"]
    assert [b.name for b in bucket.list_blobs(prefix="a/")] == ["a/1", "a/2", "a/b/3"]
    assert [b.name for b in bucket.list_blobs(match_glob="**/1")] == ["a/1", "b/1"]
    assert [b.name for b in bucket.list_blobs(start_offset="a/2", end_offset="c")] == [
        "a/2", "a/b/3", "b/1",
    ]
    only = next(iter(bucket.list_blobs(prefix="c", fields="items(name),nextPageToken")))
    assert only.name == "c" and only.size is None


def test_metadata_changes_alone(bucket):
    blob = bucket.blob("m")
    blob.upload_from_string("text", content_type="text/plain")
    generation = blob.generation
    blob.metadata = {"k": "v"}
    blob.content_disposition = "attachment"
    blob.patch()
    assert blob.generation == generation and blob.metageneration == 2
    blob.metadata = None
    blob.patch()
    fresh = bucket.get_blob("m")
    assert fresh.metadata is None
    assert fresh.content_disposition == "attachment"
    assert fresh.download_as_text() == "text"


def test_preconditions_and_generations(bucket):
    blob = bucket.blob("p")
    blob.upload_from_string("1", if_generation_match=0)
    with pytest.raises(exceptions.PreconditionFailed):
        bucket.blob("p").upload_from_string("2", if_generation_match=0)
    first = blob.generation
    blob.upload_from_string("2", if_generation_match=first)
    assert blob.generation > first
    with pytest.raises(exceptions.NotFound):
        bucket.blob("p", generation=first).reload()
    with pytest.raises(exceptions.PreconditionFailed):
        blob.delete(if_generation_match=first)
    blob.delete(if_generation_match=blob.generation)
    assert not blob.exists()


def test_versions_are_kept_where_the_bucket_says_so(files, project):
    bucket = files.bucket(f"{project}.appspot.com")
    bucket.create(project=project)
    bucket.versioning_enabled = True
    bucket.labels = {"team": "web"}
    bucket.add_lifecycle_delete_rule(number_of_newer_versions=3)
    bucket.patch()
    again = files.get_bucket(bucket.name)
    assert again.versioning_enabled and again.labels == {"team": "web"}
    assert [rule["action"]["type"] for rule in again.lifecycle_rules] == ["Delete"]
    blob = bucket.blob("v")
    blob.upload_from_string("1")
    old = blob.generation
    blob.upload_from_string("2")
    assert bucket.blob("v", generation=old).download_as_bytes() == b"1"
    assert len(list(bucket.list_blobs(versions=True))) == 2
    with pytest.raises(exceptions.Conflict):
        bucket.delete()
    with pytest.raises(exceptions.Conflict):
        files.create_bucket(bucket.name, project=project)
    # A look at a bucket that its first use would make does not make it.
    other = files.bucket(f"{project}-2.appspot.com")
    assert other.exists() and files.get_bucket(other.name).metageneration == 1
    other.create(project=f"{project}-2")
    assert bucket.name in [b.name for b in files.list_buckets(project=project)]


def test_copies_rewrites_moves_and_compositions(bucket):
    one = bucket.blob("one")
    one.upload_from_string("one ", content_type="text/plain")
    copied = bucket.copy_blob(one, bucket, "copied")
    assert copied.download_as_bytes() == b"one " and copied.content_type == "text/plain"
    target = bucket.blob("rewritten")
    token, done, total = target.rewrite(one)
    assert token is None and done == total == 4
    assert bucket.get_blob("rewritten").content_type == "text/plain"
    renamed = bucket.rename_blob(copied, "renamed")
    assert renamed.download_as_bytes() == b"one " and not copied.exists()
    moved = bucket.move_blob(renamed, "moved")
    assert moved.download_as_bytes() == b"one " and not renamed.exists()
    made = bucket.blob("made")
    made.content_type = "text/plain"
    made.compose([one, moved])
    assert made.download_as_bytes() == b"one one "
    assert made.component_count == 2 and made.md5_hash is None


def test_batches_and_many_deletes(files, bucket):
    blobs = [bucket.blob(f"b{number}") for number in range(5)]
    for blob in blobs:
        blob.upload_from_string(blob.name)
    with files.batch():
        for blob in blobs:
            blob.metadata = {"n": blob.name}
            blob.patch()
    assert bucket.get_blob("b3").metadata == {"n": "b3"}
    with pytest.raises(exceptions.NotFound):
        with files.batch():
            bucket.blob("not-there").delete()
    bucket.delete_blobs(blobs)
    assert list(bucket.list_blobs()) == []


def test_the_transfer_manager(bucket, tmp_path):
    names = []
    for number in range(6):
        (tmp_path / f"f{number}").write_bytes(content(5_000, number))
        names.append(f"f{number}")
    results = transfer_manager.upload_many_from_filenames(
        bucket, names, source_directory=str(tmp_path), worker_type=transfer_manager.THREAD,
    )
    assert all(result is None for result in results)
    data = content(2_500_000)
    bucket.blob("large").upload_from_string(data)
    transfer_manager.download_chunks_concurrently(
        bucket.get_blob("large"), str(tmp_path / "large"), chunk_size=1 << 20,
        worker_type=transfer_manager.THREAD,
    )
    assert (tmp_path / "large").read_bytes() == data


def start(server, bucket, name, **headers):
    answer = requests.post(
        url(server, f"/upload/storage/v1/b/{bucket.name}/o?uploadType=resumable&name={name}"),
        json={}, headers=headers, timeout=30,
    )
    assert answer.status_code == 200 and answer.content == b""
    return answer.headers["Location"]


def test_resumable_uploads_by_their_wire_form(server, bucket):
    data = content(2 * QUARTER + 100)
    location = start(server, bucket, "wire")
    probe = requests.put(location, headers={"Content-Range": "bytes */*"}, timeout=30)
    assert probe.status_code == 308 and "Range" not in probe.headers
    first = requests.put(
        location, data=data[:QUARTER], timeout=30,
        headers={"Content-Range": f"bytes 0-{QUARTER - 1}/*"},
    )
    assert (first.status_code, first.headers["Range"]) == (308, f"bytes=0-{QUARTER - 1}")
    # Google's client for Go cannot take a 308.
    polite = requests.put(
        location, headers={"Content-Range": "bytes */*", "X-Guploader-No-308": "yes"}, timeout=30,
    )
    assert (polite.status_code, polite.headers["X-Http-Status-Code-Override"]) == (200, "308")
    gap = requests.put(
        location, data=b"x", timeout=30,
        headers={"Content-Range": f"bytes {QUARTER + 5}-{QUARTER + 5}/*"},
    )
    assert gap.status_code == 400
    # A chunk that repeats what is there, with a body that is not what the header says.
    lie = requests.put(
        location, data=data[QUARTER:QUARTER + 10], timeout=30,
        headers={"Content-Range": f"bytes {QUARTER}-{QUARTER + 99}/*"},
    )
    assert lie.status_code == 400
    last = requests.put(
        location, data=data[QUARTER:], timeout=30,
        headers={
            "Content-Range": f"bytes {QUARTER}-{len(data) - 1}/{len(data)}",
            "X-Goog-Hash": f"crc32c={checksum(data)}",
        },
    )
    assert last.status_code == 200 and last.json()["crc32c"] == checksum(data)
    again = requests.put(location, headers={"Content-Range": f"bytes */{len(data)}"}, timeout=30)
    assert again.status_code == 200 and again.json()["generation"] == last.json()["generation"]
    assert bucket.get_blob("wire").download_as_bytes() == data


def test_cancelled_and_unknown_uploads(server, bucket):
    location = start(server, bucket, "never")
    assert requests.delete(location, timeout=30).status_code == 499
    late = requests.put(location, data=b"x", headers={"Content-Range": "bytes 0-0/1"}, timeout=30)
    assert late.status_code == 410
    unknown = location.split("upload_id=")[0] + "upload_id=" + "x" * 32
    for upload in [unknown, unknown + "/..", unknown[:-5]]:
        answer = requests.put(upload, data=b"x", timeout=30)
        assert answer.status_code == 404
        assert answer.json()["error"]["errors"][0]["reason"] == "notFound"
    assert bucket.get_blob("never") is None


@pytest.mark.parametrize("name, status", [
    ("", 400), (".", 400), ("..", 400), ("a%0Ab", 400), ("x" * 1025, 400), ("%C3%A9", 200),
    ("a%2Fb", 200), ("%00", 400),
])
def test_names(server, bucket, name, status):
    answer = requests.post(
        url(server, f"/upload/storage/v1/b/{bucket.name}/o?uploadType=media&name={name}"),
        data=b"x", timeout=30,
    )
    assert answer.status_code == status, answer.text


@pytest.mark.parametrize("header", [
    "crc32c=AAAAAA==", "md5=AAAAAAAAAAAAAAAAAAAAAA==", "md5=rubbish", "sha1=AAAA",
])
def test_wrong_hashes_store_nothing(server, bucket, header):
    answer = requests.post(
        url(server, f"/upload/storage/v1/b/{bucket.name}/o?uploadType=media&name=h"),
        data=b"x", headers={"X-Goog-Hash": header}, timeout=30,
    )
    assert answer.status_code == 400
    assert bucket.get_blob("h") is None


@pytest.mark.parametrize("body", [
    b"", b"--b\r\n", b"--b\r\n\r\n{}\r\n--b--", b"--b\r\n\r\n{}\r\n--b\r\n\r\ntext",
    b"--b\r\n\r\n{}\r\n--b\r\n\r\ntext\r\n--b\r\n\r\nmore\r\n--b--",
    b"--b\r\n\r\nnot json\r\n--b\r\n\r\ntext\r\n--b--",
])
def test_truncated_and_malformed_parts_store_nothing(server, bucket, body):
    answer = requests.post(
        url(server, f"/upload/storage/v1/b/{bucket.name}/o?uploadType=multipart&name=t"),
        data=body, headers={"Content-Type": "multipart/related; boundary=b"}, timeout=30,
    )
    assert answer.status_code == 400, answer.text
    assert bucket.get_blob("t") is None


def test_ranges_and_conditions(server, bucket):
    bucket.blob("r").upload_from_string(b"0123456789", content_type="text/html")
    target = url(server, f"/download/storage/v1/b/{bucket.name}/o/r?alt=media")

    def get(**headers):
        return requests.get(
            target, headers={name.replace("_", "-"): value for name, value in headers.items()},
            timeout=30,
        )

    whole = get()
    assert whole.content == b"0123456789"
    assert whole.headers["x-goog-hash"].startswith(f"crc32c={checksum(b'0123456789')},md5=")
    assert whole.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in whole.headers["Content-Security-Policy"]
    part = get(Range="bytes=2-4")
    assert (part.status_code, part.content) == (206, b"234")
    assert part.headers["Content-Range"] == "bytes 2-4/10" and "x-goog-hash" not in part.headers
    assert get(Range="bytes=10-").status_code == 416
    tag = whole.headers["ETag"]
    assert get(If_None_Match=tag).status_code == 304
    assert get(If_Match='"other"').status_code == 412
    assert get(Range="bytes=0-1", If_Range='"other"').content == b"0123456789"
    head = requests.head(target, timeout=30)
    assert head.headers["Content-Length"] == "10" and head.content == b""


def test_errors_are_googles(server, bucket):
    answer = requests.get(url(server, f"/storage/v1/b/{bucket.name}/o/none"), timeout=30)
    assert answer.status_code == 404
    error = answer.json()["error"]
    assert error["code"] == 404
    assert error["message"] == f"No such object: {bucket.name}/none"
    assert error["errors"] == [
        {"message": error["message"], "domain": "global", "reason": "notFound"}
    ]
    user = {"Authorization": "Bearer not-a-token"}
    refused = requests.get(url(server, f"/b/{bucket.name}/o"), headers=user, timeout=30)
    assert refused.status_code in (400, 401)
    acl = requests.get(url(server, f"/b/{bucket.name}/acl"), timeout=30)
    assert acl.status_code == 400 and "uniform bucket-level" in acl.text
    notify = requests.post(url(server, f"/b/{bucket.name}/notificationConfigs"), json={}, timeout=30)
    assert notify.status_code == 501
    for method, path, word in [
        ("GET", "notificationConfigs/1", "Pub/Sub"), ("DELETE", "notificationConfigs/1", "Pub/Sub"),
        ("POST", "o/watch", "notifications"), ("POST", "folders", "folders"), ("GET", "folders/a%2Fb", "folders"),
        ("POST", "folders/a/renameTo/folders/b", "folders"), ("GET", "managedFolders/a/iam", "folders"),
        ("POST", "lockRetentionPolicy", "Retention"), ("GET", "anywhereCaches", "caches"),
    ]:
        refused = requests.request(method, url(server, f"/b/{bucket.name}/{path}"), timeout=30)
        assert refused.status_code == 501 and word in refused.json()["error"]["message"], path
    assert requests.post(url(server, "/channels/stop"), json={}, timeout=30).status_code == 501


def test_files_outlive_restarts_and_kills(tmp_path):
    running = servers.Brasa(tmp_path / "data").start()
    base = f"http://{running.host}"
    data = content(QUARTER + 10)
    answer = requests.post(
        f"{base}/upload/storage/v1/b/k.appspot.com/o?uploadType=media&name=kept", data=data,
        timeout=30,
    )
    assert answer.status_code == 200
    begun = requests.post(
        f"{base}/upload/storage/v1/b/k.appspot.com/o?uploadType=resumable&name=half", json={},
        timeout=30,
    )
    path = begun.headers["Location"].removeprefix(base)
    requests.put(
        base + path, data=data[:QUARTER], timeout=30,
        headers={"Content-Range": f"bytes 0-{QUARTER - 1}/*"},
    )
    running.kill()
    running = servers.Brasa(tmp_path / "data").start()
    base = f"http://{running.host}"
    got = requests.get(f"{base}/storage/v1/b/k.appspot.com/o/kept?alt=media", timeout=30)
    assert got.content == data
    done = requests.put(
        base + path, data=data[QUARTER:], timeout=30,
        headers={"Content-Range": f"bytes {QUARTER}-{len(data) - 1}/{len(data)}"},
    )
    assert done.status_code == 200 and done.json()["crc32c"] == checksum(data)
    assert running.stop() == 0


def test_what_was_deleted_is_listed_and_restored(files, project):
    bucket = files.bucket(f"{project}.appspot.com")
    bucket.soft_delete_policy.retention_duration_seconds = 7 * 86_400
    bucket.patch()
    for name in ("a", "b"):
        bucket.blob(name).upload_from_string(name)
    bucket.delete_blob("a")
    assert [blob.name for blob in bucket.list_blobs()] == ["b"]
    gone, = bucket.list_blobs(soft_deleted=True)
    assert gone.name == "a" and gone.soft_delete_time and gone.hard_delete_time > gone.soft_delete_time
    assert bucket.get_blob("a") is None
    assert bucket.get_blob("a", generation=gone.generation, soft_deleted=True).size == 1
    restored = bucket.restore_blob("a", generation=gone.generation)
    assert restored.generation > gone.generation and bucket.blob("a").download_as_bytes() == b"a"
    assert not list(bucket.list_blobs(soft_deleted=True))
    with pytest.raises(exceptions.NotFound):
        bucket.restore_blob("a", generation=gone.generation)


def test_the_admin_sdk_in_development(files, project):
    import firebase_admin
    from firebase_admin import credentials, storage as admin_storage

    class Nobody(credentials.Base):
        def get_credential(self):
            return AnonymousCredentials()

    app = firebase_admin.initialize_app(Nobody(), {"storageBucket": f"{project}.appspot.com", "projectId": project}, name=project)
    try:
        blob = admin_storage.bucket(app=app).blob("sdk")
        blob.upload_from_string("by the Admin SDK")
        assert admin_storage.bucket(app=app).blob("sdk").download_as_text() == "by the Admin SDK"
    finally:
        firebase_admin.delete_app(app)
