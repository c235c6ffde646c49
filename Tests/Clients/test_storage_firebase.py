"""Cloud Storage as Firebase's clients know it, by its wire forms."""

import base64
import hashlib
import re
import uuid

import pytest
import requests

from support import firebase_storage as firebase, tokens

pytestmark = pytest.mark.brasa_only

PHOTO = bytes(range(256)) * 4
NAME = "users/ana/a photo+1.png"


@pytest.fixture
def people(server, project):
    """Clients of the project's bucket, by who calls."""
    bucket = f"{project}.appspot.com"
    firebase.set_rules(server, firebase.OWN_FOLDER, bucket)

    def of(token):
        return firebase.Storage(server, bucket, token)

    return {
        "nobody": of(None), "owner": of(tokens.unsigned(project, "ana")),
        "other": of(tokens.unsigned(project, "bea")), "administrator": of("owner"),
    }


@pytest.fixture
def ana(people):
    return people["owner"]


def test_a_photo_from_upload_to_delete(ana):
    answer = ana.upload(NAME, PHOTO, metadata={"album": "1"}, cacheControl="public, max-age=60")
    assert answer.status_code == 200, answer.text
    stored = answer.json()
    assert {key: stored[key] for key in ("name", "bucket", "size", "contentType", "metageneration")} == {
        "name": NAME, "bucket": ana.bucket, "size": "1024", "contentType": "image/png", "metageneration": "1",
    }
    assert stored["md5Hash"] == base64.b64encode(hashlib.md5(PHOTO).digest()).decode()
    assert stored["metadata"] == {"album": "1"} and stored["contentEncoding"] == "identity"
    assert stored["contentDisposition"] == "inline; filename*=utf-8''a%20photo%2B1.png"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", stored["timeCreated"])
    assert uuid.UUID(stored["downloadTokens"])
    assert ana.metadata(NAME).json() == stored
    download = ana.download(NAME)
    assert download.content == PHOTO and download.headers["Content-Type"] == "image/png"
    assert download.headers["Cache-Control"] == "public, max-age=60"
    assert ana.list("users/ana/").json() == {
        "prefixes": [], "items": [{"name": NAME, "bucket": ana.bucket}]
    }
    assert ana.delete(NAME).status_code == 204
    assert ana.metadata(NAME).status_code == ana.download(NAME).status_code == ana.delete(NAME).status_code == 404


def test_metadata_is_changed_field_by_field(ana):
    ana.upload(NAME, PHOTO, metadata={"a": "1", "b": "2"}, contentLanguage="pt")
    before = ana.metadata(NAME).json()
    changed = ana.update(NAME, {
        "contentType": "image/jpeg", "contentLanguage": None, "metadata": {"a": None, "c": "3"},
    }).json()
    assert changed["contentType"] == "image/jpeg" and "contentLanguage" not in changed
    assert changed["metadata"] == {"b": "2", "c": "3"} and changed["metageneration"] == "2"
    for same in ("generation", "md5Hash", "timeCreated", "size", "downloadTokens"):
        assert changed[same] == before[same]
    answer = ana.send("POST", ana.url(NAME), {"X-HTTP-Method-Override": "PATCH"}, json={"metadata": None})
    assert answer.status_code == 200 and "metadata" not in answer.json()
    # Whose tokens these are is nobody's to say.
    ana.update(NAME, {"metadata": {"firebaseStorageDownloadTokens": "mine"}, "downloadTokens": "mine"})
    assert ana.metadata(NAME).json()["downloadTokens"] == before["downloadTokens"]
    for body in (b"{", b"[]", b'{"contentType":1}', b'{"metadata":{"a":{}}}', b'{"metadata":[]}'):
        assert ana.send("PATCH", ana.url(NAME), data=body).status_code == 400, body


def test_a_download_url_needs_no_credentials_and_ends_with_its_token(people, ana):
    token = ana.upload(NAME, PHOTO).json()["downloadTokens"]
    nobody, administrator = people["nobody"], people["administrator"]
    assert nobody.download(NAME, token=token).content == PHOTO
    assert nobody.metadata(NAME, token=token).status_code == 200
    for wrong in ("", "x", token[:-1], token + "x", str(uuid.uuid4())):
        assert nobody.download(NAME, token=wrong).status_code == 403
    refused = ana.send("POST", ana.url(NAME), params={"create_token": "true"})
    assert refused.status_code == 403 and refused.json()["error"]["message"] == "Missing admin credentials."
    two = administrator.send("POST", ana.url(NAME), params={"create_token": "true"}).json()["downloadTokens"]
    assert two.startswith(token + ",")
    second = two.split(",")[1]
    left = administrator.send("POST", ana.url(NAME), params={"delete_token": token}).json()
    assert left["downloadTokens"] == second
    assert nobody.download(NAME, token=token).status_code == 403
    assert nobody.download(NAME, token=second).status_code == 200
    new = administrator.send("POST", ana.url(NAME), params={"delete_token": second}).json()["downloadTokens"]
    assert uuid.UUID(new) and new not in (token, second)


def test_what_is_downloaded_runs_nothing_and_is_cached_as_stored(ana):
    ana.upload("users/ana/p.html", b"<script>1</script>", type="text/html")
    first = ana.download("users/ana/p.html")
    assert first.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in first.headers["Content-Security-Policy"]
    assert first.headers["Content-Length"] == "18" and first.headers["Accept-Ranges"] == "bytes"
    assert first.headers["x-goog-hash"].startswith("crc32c=")
    tag, modified = first.headers["ETag"], first.headers["Last-Modified"]
    for headers, status in (
        ({"If-None-Match": tag}, 304), ({"If-None-Match": f'"x", W/{tag}'}, 304), ({"If-None-Match": '"x"'}, 200),
        ({"If-None-Match": "*"}, 304), ({"If-Match": tag}, 200), ({"If-Match": '"x"'}, 412),
        ({"If-Modified-Since": modified}, 304), ({"If-Unmodified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"}, 412),
        ({"If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"}, 200), ({"If-Modified-Since": "x"}, 200),
    ):
        answer = ana.download("users/ana/p.html", headers)
        assert answer.status_code == status, headers
        assert bool(answer.content) == (status == 200), headers
    head = ana.send("HEAD", ana.url("users/ana/p.html"), params={"alt": "media"})
    assert head.status_code == 200 and head.content == b"" and head.headers["Content-Length"] == "18"
    assert head.headers["ETag"] == tag


@pytest.mark.parametrize("asked, status, first, last", [
    ("bytes=0-9", 206, 0, 9), ("bytes=1000-", 206, 1000, 1023), ("bytes=-4", 206, 1020, 1023),
    ("bytes=0-5000", 206, 0, 1023), ("bytes=-5000", 206, 0, 1023), ("bytes=1023-1023", 206, 1023, 1023),
    ("bytes=1024-", 416, None, None), ("bytes=-0", 416, None, None), ("bytes=9-0", 200, 0, 1023),
    ("bytes=x-", 200, 0, 1023), ("bytes=0-1,4-5", 200, 0, 1023), ("lines=0-1", 200, 0, 1023),
    ("bytes=99999999999999999999-", 416, None, None), ("bytes=0-99999999999999999999", 206, 0, 1023),
])
def test_a_range_is_what_was_asked_for(ana, asked, status, first, last):
    ana.upload(NAME, PHOTO)
    answer = ana.download(NAME, {"Range": asked})
    assert answer.status_code == status
    if status == 416:
        assert answer.headers["Content-Range"] == "bytes */1024" and answer.content == b""
    else:
        assert answer.content == PHOTO[first:last + 1]
    if status == 206:
        assert answer.headers["Content-Range"] == f"bytes {first}-{last}/1024"
        other = ana.download(NAME, {"Range": asked, "If-Range": '"another"'})
        assert other.status_code == 200 and other.content == PHOTO


def test_a_list_has_folders_and_pages_and_hides_names_without_a_reference(people, ana):
    administrator = people["administrator"]
    for name in ("a.txt", "b/1.txt", "b/2.txt", "b/c/3.txt", "d/4.txt", "e.txt", "/x", "f//y", "g/"):
        assert administrator.upload_raw(name, b"x").status_code == 200, name
    listed = administrator.list().json()
    assert listed["prefixes"] == ["b/", "d/", "f/", "g/"]
    assert [item["name"] for item in listed["items"]] == ["a.txt", "e.txt"]
    assert administrator.list("b/").json()["prefixes"] == ["b/c/"]
    assert [item["name"] for item in administrator.list("b/").json()["items"]] == ["b/1.txt", "b/2.txt"]
    names, token, pages = [], None, 0
    while True:
        page = administrator.list("b/", delimiter="", maxResults=1, **({"pageToken": token} if token else {})).json()
        names += [item["name"] for item in page["items"]]
        pages += 1
        token = page.get("nextPageToken")
        if not token:
            break
    assert names == ["b/1.txt", "b/2.txt", "b/c/3.txt"] and pages <= 4
    for bad in ({"prefix": "b"}, {"maxResults": "x"}, {"maxResults": "0"}, {"pageToken": "x"}):
        assert administrator.list(**bad).status_code == 400, bad
    refused = ana.list()
    assert refused.status_code == 403
    assert refused.json()["error"] == {"code": 403, "message": "Permission denied. No LIST permission."}


# Uploads


def test_a_wrong_hash_stores_nothing(ana):
    right = base64.b64encode(hashlib.md5(PHOTO).digest()).decode()
    wrong = base64.b64encode(hashlib.md5(b"x").digest()).decode()
    assert ana.upload(NAME, PHOTO, md5Hash=wrong).status_code == 400
    assert ana.upload(NAME, PHOTO, md5Hash="x").status_code == 400
    assert ana.metadata(NAME).status_code == 404
    assert ana.upload(NAME, PHOTO, md5Hash=right).status_code == 200


def test_a_body_that_is_not_of_two_parts_stores_nothing(ana):
    part = "--b\r\nContent-Type: application/json\r\n\r\n{}\r\n"
    for body in ("", "x", part, part + "--b--", part + part + "--b", part + part + part + "--b--",
                 "--b\r\n\r\n{\r\n--b\r\n\r\nx\r\n--b--"):
        answer = ana.send(
            "POST", ana.root, {
                "X-Goog-Upload-Protocol": "multipart", "Content-Type": "multipart/related; boundary=b",
            }, params={"name": NAME}, data=body,
        )
        assert answer.status_code == 400, (body, answer.text)
    assert ana.send("POST", ana.root, data=b"x").status_code == 400
    assert ana.metadata(NAME).status_code == 404


@pytest.mark.parametrize("ios", [False, True], ids=["web", "ios"])
def test_a_resumable_upload_goes_on_where_it_was_cut(ana, ios):
    content = bytes(range(256)) * 4096
    step = 262_144
    start = ana.start(NAME, len(content), ios=ios, metadata={"a": "1"})
    assert start.status_code == 200 and start.content == b""
    assert start.headers["X-Goog-Upload-Status"] == "active"
    assert start.headers["X-Goog-Upload-Chunk-Granularity"] == str(step)
    url = start.headers["X-Goog-Upload-URL"]
    assert firebase.upload_id(url) == start.headers["X-GUploader-UploadID"]
    for offset in range(0, len(content) - step, step):
        asked = ana.command(url, "query")
        assert asked.headers["X-Goog-Upload-Size-Received"] == str(offset)
        answer = ana.chunk(url, content[offset:offset + step], offset, ios=ios)
        assert answer.status_code == 200 and answer.headers["X-Goog-Upload-Status"] == "active"
        assert answer.headers["X-Goog-Upload-Size-Received"] == str(offset + step)
        # The answer was lost, and the client sends the chunk again.
        again = ana.chunk(url, content[offset:offset + step], offset, ios=ios)
        assert again.headers["X-Goog-Upload-Size-Received"] == str(offset + step)
        ahead = ana.chunk(url, b"x" * 10, offset + 2 * step, ios=ios)
        assert ahead.status_code == 400 and ahead.headers["X-Goog-Upload-Status"] == "active"
        assert ana.metadata(NAME).status_code == 404
    last = ana.chunk(url, content[-step:], len(content) - step, finalize=True, ios=ios)
    assert last.status_code == 200 and last.headers["X-Goog-Upload-Status"] == "final"
    assert last.json()["size"] == str(len(content)) and last.json()["metadata"] == {"a": "1"}
    asked = ana.command(url, "query")
    assert asked.headers["X-Goog-Upload-Status"] == "final"
    assert ana.command(url, "finalize").json()["generation"] == last.json()["generation"]
    assert ana.download(NAME).content == content


def test_a_resumable_upload_that_is_wrong_stores_nothing(ana):
    def begun(size=10):
        return ana.start(NAME, size).headers["X-Goog-Upload-URL"]

    short, long, over = begun(), begun(), begun()
    assert ana.chunk(short, b"x" * 9, 0, finalize=True).status_code == 400
    assert ana.chunk(long, b"x" * 11, 0, finalize=True).status_code == 400
    answer = ana.command(over, "cancel")
    assert answer.status_code == 200 and answer.headers["X-Goog-Upload-Status"] == "cancelled"
    for late in (ana.command(over, "finalize"), ana.chunk(over, b"x" * 10, 0, finalize=True)):
        assert late.status_code == 400 and late.headers["X-Goog-Upload-Status"] == "cancelled"
    for known in (ana.command(over, "query"), ana.command(over, "cancel")):
        assert known.status_code == 200 and known.headers["X-Goog-Upload-Status"] == "cancelled"
    url = begun()
    for wrong in (url.replace(firebase.upload_id(url), "x"), url.replace(firebase.upload_id(url), "A" * 32),
                  url.replace(ana.bucket, "another.appspot.com")):
        assert ana.chunk(wrong, b"x" * 10, 0, finalize=True).status_code == 404
    for command in ("", "start", "upload, cancel", "x"):
        assert ana.command(url, command).status_code == 400
    assert ana.command(url, "upload").status_code == 400
    assert ana.start(NAME, "x").status_code == 400
    assert ana.metadata(NAME).status_code == 404


def test_rules_see_the_end_of_an_upload_too(server, people, ana):
    """A client that says less at the start than it sends."""
    firebase.set_rules(server, firebase.OWN_FOLDER.replace(
        "allow read, write: if request.auth != null && request.auth.uid == uid;",
        "allow read: if true; allow create: if request.resource.size < 100;",
    ), ana.bucket)
    assert ana.start(NAME, 200).status_code == 403
    assert ana.upload(NAME, b"x" * 100).status_code == ana.upload_raw(NAME, b"x" * 100).status_code == 403
    assert ana.upload(NAME, b"x" * 99).status_code == 200
    url = ana.start("users/ana/b", 10).headers["X-Goog-Upload-URL"]
    firebase.set_rules(server, firebase.OWN_FOLDER.replace("request.auth != null &&", "false &&"), ana.bucket)
    answer = ana.chunk(url, b"x" * 10, 0, finalize=True, ios=True)
    assert answer.status_code == 403
    assert answer.json()["error"]["message"] == "Permission denied. No WRITE permission."
    assert ana.command(url, "query").status_code == 404
    assert people["administrator"].metadata("users/ana/b").status_code == 404


def test_rules_that_read_what_comes_with_the_bytes_decide_at_the_end(server, people, ana):
    content, digest = b"x" * 99, base64.b64encode(hashlib.md5(b"x" * 99).digest()).decode()
    own = "allow read, write: if request.auth != null && request.auth.uid == uid;"

    def rules(condition):
        firebase.set_rules(server, firebase.OWN_FOLDER.replace(own, f"allow read: if true; allow create: if {condition};"), ana.bucket)

    rules(f"request.resource.md5Hash == '{digest}' && request.resource.size < 100")
    assert ana.upload(NAME, content).status_code == 200
    assert ana.upload_raw("users/ana/b", content).status_code == 200
    # Neither its length nor its hash are known before it is there.
    assert ana.send("POST", ana.root, params={"name": "users/ana/c"}, data=iter([content])).status_code == 200
    url = ana.start("users/ana/d").headers["X-Goog-Upload-URL"]
    assert ana.chunk(url, content, 0, finalize=True).status_code == 200
    for wrong in (b"y" * 99, b"x" * 98):
        assert ana.upload("users/ana/e", wrong).status_code == 403
        url = ana.start("users/ana/e").headers["X-Goog-Upload-URL"]
        assert ana.chunk(url, wrong, 0, finalize=True).status_code == 403
    assert ana.start("users/ana/e", 100).status_code == 403
    assert ana.upload("users/ana/e", content, md5Hash="A" * 22 + "==").status_code == 403
    # What is false whatever comes is refused at once.
    rules("false && request.resource.md5Hash == ''")
    assert ana.start("users/ana/e").status_code == 403
    assert people["administrator"].metadata("users/ana/e").status_code == 404


# Who may do what


ALLOWED = {"owner", "administrator"}


def expired(project):
    """A token that says it is signed, and is not valid (any more): development checks these too."""
    body = tokens.unsigned(project, "ana", exp=1_700_000_000).split(".")[1]
    header = base64.urlsafe_b64encode(b'{"alg":"RS256","kid":"gone","typ":"JWT"}').rstrip(b"=").decode()
    return f"{header}.{body}.c2lnbmVk"


@pytest.mark.parametrize("who", ["nobody", "owner", "other", "expired", "administrator"])
def test_the_own_folder_is_the_owners_on_every_route(people, who, project):
    owner, administrator = people["owner"], people["administrator"]
    caller = people.get(who) or firebase.Storage(owner.server, owner.bucket, expired(project))
    denied = 401 if who == "expired" else 403
    own = "users/ana/1.png"
    administrator.upload(own, PHOTO)
    session = owner.start("users/ana/2.png", 4).headers["X-Goog-Upload-URL"]

    def expect(answer, message=None):
        if who in ALLOWED:
            assert answer.status_code in (200, 204), answer.text
        else:
            assert answer.status_code == denied, answer.text
            assert PHOTO not in answer.content and "downloadTokens" not in answer.text
            if message and denied == 403:
                assert answer.json()["error"]["message"] == f"Permission denied. No {message} permission."

    expect(caller.metadata(own), "READ")
    expect(caller.download(own), "READ")
    expect(caller.list("users/ana/"), "LIST")
    expect(caller.upload("users/ana/new.png", PHOTO), "WRITE")
    expect(caller.upload_raw("users/ana/raw.png", PHOTO), "WRITE")
    expect(caller.upload(own, PHOTO + b"x"), "WRITE")
    expect(caller.update(own, {"metadata": {"a": who}}), "WRITE")
    expect(caller.start("users/ana/3.png", 4), "WRITE")
    # Whoever has an upload's address has it from its owner: chunks have no credentials.
    assert caller.chunk(session, b"ab", 0, ios=True).status_code == 200
    assert caller.chunk(session, b"cd", 2, finalize=True, ios=True).status_code == 200
    if who not in ALLOWED:
        assert administrator.download(own).content == PHOTO
        assert "metadata" not in administrator.metadata(own).json()
        for name in ("users/ana/new.png", "users/ana/raw.png", "users/ana/3.png"):
            assert administrator.metadata(name).status_code == 404
    expect(caller.delete(own), "WRITE")
    assert administrator.metadata(own).status_code == (404 if who in ALLOWED else 200)
    if who == "owner":
        for other in ("users/bea/1.png", "users/ana/a/b.png", "ana.png", "users/ana", "/users/ana/1.png"):
            assert caller.upload(other, PHOTO).status_code == 403, other
            assert caller.metadata(other).status_code == 403, other


def test_without_rules_development_allows_everything_but_what_is_the_administrators(server, project):
    bucket = f"{project}.firebasestorage.app"
    for token in (None, tokens.unsigned(project, "ana")):
        caller = firebase.Storage(server, bucket, token)
        assert caller.upload("a", b"x").status_code == caller.update("a", {"metadata": {"b": "1"}}).status_code == 200
        url = caller.start("b", 1).headers["X-Goog-Upload-URL"]
        assert caller.chunk(url, b"y", 0, finalize=True).status_code == 200
        assert caller.download("a").content == b"x"
        assert {item["name"] for item in caller.list().json()["items"]} == {"a", "b"}
        denied = caller.send("POST", f"{caller.url('a')}?create_token=true")
        assert denied.status_code == 403 and denied.json()["error"]["message"] == "Missing admin credentials."
        assert caller.delete("a").status_code == 204
    firebase.set_rules(server, firebase.OWN_FOLDER, bucket)
    for token in (None, tokens.unsigned(project, "ana")):
        caller = firebase.Storage(server, bucket, token)
        assert caller.metadata("b").status_code == caller.upload("a", b"").status_code == 403


def test_unknown_buckets_are_not_there(server):
    for bad in ("X", "a..b", "no"):
        assert firebase.Storage(server, bad, "owner").metadata("a").status_code in (400, 404)


def test_production_knows_its_own_tokens_alone(production, project):
    bucket = "shop.appspot.com"
    for token, status in ((None, 403), ("owner", 401), (tokens.unsigned("shop", "ana"), 401)):
        caller = firebase.Storage(production, bucket, token, verify=production.authority)
        for answer in (caller.metadata("a"), caller.upload("a", b"x"), caller.list(), caller.delete("a")):
            assert answer.status_code == status, (token, answer.text)
    key = firebase.Storage(production, bucket, production.administrator_key, verify=production.authority)
    assert key.upload("a", b"x").status_code == 200
    token = key.metadata("a").json()["downloadTokens"]
    anybody = firebase.Storage(production, bucket, verify=production.authority)
    assert anybody.download("a", token=token).content == b"x"
    assert requests.put(
        f"{production.url}/internal/setRules", json={}, verify=production.authority, timeout=30
    ).status_code == 404


@pytest.mark.parametrize("name, status", [
    ("a" * 1024, 200), ("a" * 1025, 400), ("..", 400), (".", 400), ("a\nb", 400), ("é/ü😀", 200), ("a?b#c%d", 200),
    ("../../etc/passwd", 200), ("a\x00b", 400), ("a//b", 200),
])
def test_names_are_what_they_are(people, name, status):
    administrator = people["administrator"]
    assert administrator.upload_raw(name, b"x").status_code == status
    if status == 200:
        assert administrator.metadata(name).json()["name"] == name
        assert administrator.download(name).content == b"x"
        assert administrator.delete(name).status_code == 204
