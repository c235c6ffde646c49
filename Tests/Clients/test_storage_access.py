"""Every way to an object, for everybody: the choke point of Storage, in production, with tokens that the server made.

The server's time of day is set two hours ahead after the first people signed in, so that their tokens have expired.
"""

import datetime
import itertools
import json
from unittest import mock
from urllib.parse import quote

import pytest
import requests
from google.cloud import storage

from support import firebase_storage as firebase, secrets, server as servers, shim
from support.identity import Identity

pytestmark = pytest.mark.brasa_only

PROJECT = "shop-choke-point"
BUCKET = f"{PROJECT}.appspot.com"
PASSWORD = "correct horse 9"
CONTENT, NEW = b"what is stored", b"what is new"
WHO = ("nobody", "owner", "other", "expired", "administrator")
numbers = itertools.count(1)


class Scene:
    """The server, the people's tokens and the file of a service account."""

    def __init__(self, server, tokens, key_file):
        self.server, self.tokens = server, tokens
        self.signer = storage.Client.from_service_account_json(str(key_file)).bucket(BUCKET)

    def send(self, who, method, path, scheme="Firebase", **options):
        headers = dict(options.pop("headers", {}))
        if self.tokens.get(who):
            headers["Authorization"] = f"{scheme} {self.tokens[who]}"
        url = path if path.startswith("http") else self.server.url + path
        return requests.request(method, url, headers=headers, timeout=30, allow_redirects=False, **options)

    def admin(self, method, path, **options):
        answer = self.send("administrator", method, path, "Bearer", **options)
        assert answer.status_code < 300, answer.text
        return answer

    def put(self, name):
        self.admin("POST", f"/v0/b/{BUCKET}/o?name={quote(name, safe='')}", data=CONTENT, headers={"Content-Type": "text/plain"})

    def state(self):
        """All that there is, with what would change."""
        listed = self.admin("GET", f"/storage/v1/b/{BUCKET}/o?versions=true").json().get("items", [])
        return {(item["name"], item["generation"], item["metageneration"]) for item in listed}


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    directory = tmp_path_factory.mktemp("choke-point")
    data, rules, key_file = directory / "data", directory / "storage.rules", directory / "key.json"
    rules.write_text(firebase.OWN_FOLDER)
    first = servers.Brasa(data, development=False, environment={"BRASA_PROJECT": PROJECT}).start()
    tokens = {"administrator": first.administrator_key}
    servers.run("rules", "deploy", rules, "--project", PROJECT, "--service", "storage", "--data", data)
    identity = Identity(first, PROJECT)
    made = {name: identity.client("signUp", email=f"{name}@example.com", password=PASSWORD) for name in ("ana", "bea")}
    tokens["expired"] = made["ana"]["idToken"]
    caller = firebase.Storage(first, BUCKET, tokens["expired"])
    uid = made["ana"]["localId"]
    assert caller.upload(f"users/{uid}/valid.png", CONTENT).status_code == 200
    started = caller.start(f"users/{uid}/begun.png", 8).headers["X-Goog-Upload-URL"]
    assert first.stop() == 0
    library = directory / "clock.so"
    shim.compile(servers.CHECKOUT / "Tests" / "Faults" / "clock.c", library)
    later = servers.Brasa(data, "--accept-clock", development=False, environment={
        "BRASA_PROJECT": PROJECT, "LD_PRELOAD": str(library), "BRASA_FAULT_CLOCK_AHEAD": "7200",
    }).start()
    identity = Identity(later, PROJECT)
    for name, who in (("ana", "owner"), ("bea", "other")):
        tokens[who] = identity.client("signInWithPassword", email=f"{name}@example.com", password=PASSWORD)["idToken"]
    servers.run(
        "keys", "create", "signer", "--role", "admin", "--project", PROJECT, "--out", key_file,
        "--origin", later.url, "--data", data,
    )
    secrets.note_file(key_file)
    scene = Scene(later, tokens, key_file)
    scene.folder, scene.started = f"users/{uid}", later.url + started[started.index("/v0/"):]
    yield scene
    assert later.stop() == 0, later.output[-4000:]


# What each operation is: it gets the scene, who calls and an own object's name, and gives the answer.


def v0(name, query=""):
    return f"/v0/b/{BUCKET}/o/{quote(name, safe='')}{query}"


def start(scene, who, name):
    return scene.send(who, "POST", f"/v0/b/{BUCKET}/o?name={quote(name + '2', safe='')}", data="{}", headers={
        "X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start",
        "X-Goog-Upload-Header-Content-Length": "4", "Content-Type": "application/json",
    })


def multipart(scene, who, name):
    body = b"--b\r\nContent-Type: application/json\r\n\r\n{}\r\n--b\r\nContent-Type: text/plain\r\n\r\n" + NEW + b"\r\n--b--"
    return scene.send(who, "POST", f"/v0/b/{BUCKET}/o?name={quote(name, safe='')}", data=body, headers={
        "X-Goog-Upload-Protocol": "multipart", "Content-Type": "multipart/related; boundary=b",
    })


BY_RULES = {
    "get": lambda s, who, name: s.send(who, "GET", v0(name)),
    "download": lambda s, who, name: s.send(who, "GET", v0(name, "?alt=media")),
    "download a range": lambda s, who, name: s.send(who, "GET", v0(name, "?alt=media"), headers={"Range": "bytes=0-3"}),
    "head": lambda s, who, name: s.send(who, "HEAD", v0(name, "?alt=media")),
    "list": lambda s, who, name: s.send(who, "GET", f"/v0/b/{BUCKET}/o?prefix={quote(s.folder + '/', safe='')}&delimiter=/"),
    "create": lambda s, who, name: multipart(s, who, name + "1"),
    "create, raw": lambda s, who, name: s.send(who, "POST", f"/v0/b/{BUCKET}/o?name={quote(name + '3', safe='')}", data=NEW),
    "create, put": lambda s, who, name: s.send(who, "PUT", v0(name + "4"), data=NEW),
    "overwrite": lambda s, who, name: multipart(s, who, name),
    "metadata": lambda s, who, name: s.send(who, "PATCH", v0(name), json={"metadata": {"a": "1"}}),
    "metadata, overridden": lambda s, who, name: s.send(
        who, "POST", v0(name), json={"metadata": {"a": "1"}}, headers={"X-HTTP-Method-Override": "PATCH"}),
    "delete": lambda s, who, name: s.send(who, "DELETE", v0(name)),
    "resumable start": start,
}

J = f"/storage/v1/b/{BUCKET}/o"


def j(name):
    return f"{J}/{quote(name, safe='')}"


def bearer(method, path, **options):
    def send(scene, who, name):
        made = {key: value(scene, name) if callable(value) else value for key, value in options.items()}
        return scene.send(who, method, path(scene, name), "Bearer", **made)
    return send


def to(name):
    return f"b/{BUCKET}/o/{quote(name + '5', safe='')}"


BY_ADMINISTRATORS = {
    "get (JSON)": bearer("GET", lambda s, n: j(n)),
    "download (JSON)": bearer("GET", lambda s, n: "/download" + j(n) + "?alt=media"),
    "list (JSON)": bearer("GET", lambda s, n: J),
    "create (JSON)": bearer("POST", lambda s, n: f"/upload{J}?uploadType=media&name=new", data=NEW),
    "overwrite (JSON)": bearer("POST", lambda s, n: f"/upload{J}?uploadType=media&name={quote(n, safe='')}", data=NEW),
    "metadata (JSON)": bearer("PATCH", lambda s, n: j(n), json={"metadata": {"a": "1"}}),
    "delete (JSON)": bearer("DELETE", lambda s, n: j(n)),
    "resumable start (JSON)": bearer("POST", lambda s, n: f"/upload{J}?uploadType=resumable&name=new", json={}),
    "copy": bearer("POST", lambda s, n: f"{j(n)}/copyTo/{to(n)}"),
    "copy over": bearer("POST", lambda s, n: f"{j(s.folder + '/valid.png')}/copyTo/b/{BUCKET}/o/{quote(n, safe='')}"),
    "rewrite": bearer("POST", lambda s, n: f"{j(n)}/rewriteTo/{to(n)}"),
    "move": bearer("POST", lambda s, n: f"{j(n)}/moveTo/o/{quote(n + '6', safe='')}"),
    "compose": bearer("POST", lambda s, n: f"{j(n + '7')}/compose", json=lambda s, n: {"sourceObjects": [{"name": n}]}),
    "batch": bearer(
        "POST", lambda s, n: "/batch/storage/v1", headers={"Content-Type": "multipart/mixed; boundary=b"},
        data=lambda s, n: f"--b\r\nContent-Type: application/http\r\n\r\nGET {j(n)} HTTP/1.1\r\n\r\n\r\n--b--".encode()),
    "get (XML)": bearer("GET", lambda s, n: f"/{BUCKET}/{n}"),
    "list (XML)": bearer("GET", lambda s, n: f"/{BUCKET}"),
    "put (XML)": bearer("PUT", lambda s, n: f"/{BUCKET}/{n}", data=NEW),
    "copy (XML)": bearer("PUT", lambda s, n: f"/{BUCKET}/{n}8", headers=lambda s, n: {"x-goog-copy-source": f"/{BUCKET}/{n}"}),
    "copy over (XML)": bearer(
        "PUT", lambda s, n: f"/{BUCKET}/{n}", headers=lambda s, n: {"x-goog-copy-source": f"/{BUCKET}/{s.folder}/valid.png"}),
    "delete (XML)": bearer("DELETE", lambda s, n: f"/{BUCKET}/{n}"),
    "multipart (XML)": bearer("POST", lambda s, n: f"/{BUCKET}/{n}?uploads"),
    "resumable start (XML)": bearer("POST", lambda s, n: f"/{BUCKET}/{n}", headers={"x-goog-resumable": "start"}),
    "tokens": lambda s, who, name: s.send(who, "POST", v0(name, "?create_token=true")),
    "HMAC keys": bearer("GET", lambda s, n: f"/storage/v1/projects/{PROJECT}/hmacKeys"),
    "bucket": bearer("PATCH", lambda s, n: f"/storage/v1/b/{BUCKET}", json={"labels": {"a": "1"}}),
}


def check(scene, who, operation, allowed):
    name = f"{scene.folder}/{next(numbers)}.png"
    scene.put(name)
    before = scene.state()
    answer = operation(scene, who, name)
    if who in allowed:
        assert answer.status_code in (200, 201, 204, 206), answer.text
        if answer.headers.get("Content-Type", "").startswith("multipart/mixed"):
            assert b"HTTP/1.1 200" in answer.content
        return
    # Tokens are made by administrators alone, whose credentials these are not, whatever they are.
    status = 401 if who == "expired" and operation is not BY_ADMINISTRATORS["tokens"] else 403
    if answer.headers.get("Content-Type", "").startswith("multipart/mixed"):
        assert b"HTTP/1.1 %d" % status in answer.content
    else:
        assert answer.status_code == status, answer.text
    assert CONTENT not in answer.content and b"downloadTokens" not in answer.content and b"generation" not in answer.content
    assert scene.state() == before


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("operation", BY_RULES)
def test_an_own_folder_is_its_owners(scene, operation, who):
    check(scene, who, BY_RULES[operation], {"owner", "administrator"})


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("operation", BY_ADMINISTRATORS)
def test_what_is_above_the_rules_is_the_administrators(scene, operation, who):
    check(scene, who, BY_ADMINISTRATORS[operation], {"administrator"})


@pytest.mark.parametrize("who", WHO)
def test_an_upload_goes_on_for_whoever_has_its_address(scene, who):
    """Chunks of iOS have no credentials; the right is the beginner's, and it is asked again at the end."""
    name = f"{scene.folder}/{next(numbers)}.png"
    url = start(scene, "owner", name).headers["X-Goog-Upload-URL"]
    chunk = scene.send(who, "POST", url, data=b"ab", headers={"X-Goog-Upload-Command": "upload", "X-Goog-Upload-Offset": "0"})
    assert chunk.status_code == 200, chunk.text
    asked = scene.send(who, "POST", url, headers={"X-Goog-Upload-Command": "query"})
    assert asked.headers["X-Goog-Upload-Size-Received"] == "2"
    last = scene.send(
        who, "POST", url, data=b"cd", headers={"X-Goog-Upload-Command": "upload, finalize", "X-Goog-Upload-Offset": "2"}
    )
    assert last.status_code == 200, last.text
    assert scene.admin("GET", v0(name + "2", "?alt=media")).content == b"abcd"
    given_up = start(scene, "owner", name + "9").headers["X-Goog-Upload-URL"]
    assert scene.send(who, "POST", given_up, headers={"X-Goog-Upload-Command": "cancel"}).status_code == 200


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("dialect", ["json", "xml"])
def test_an_administrators_upload_goes_on_for_whoever_has_its_address(scene, dialect, who):
    name = f"{scene.folder}/{next(numbers)}.png"

    def begin():
        if dialect == "json":
            return scene.admin("POST", f"/upload{J}?uploadType=resumable&name={quote(name, safe='')}", json={})
        return scene.admin("POST", f"/{BUCKET}/{name}", headers={"x-goog-resumable": "start"})

    def go_on(url, content_range, content=b""):
        return scene.send(who, "PUT", url, "Bearer", data=content, headers={"Content-Range": content_range})

    step = 256 << 10
    url, before = begin().headers["Location"], scene.state()
    assert go_on(url, f"bytes 0-{step - 1}/*", b"x" * step).status_code == 308
    assert go_on(url, "bytes */*").headers["Range"] == f"bytes=0-{step - 1}"
    assert scene.state() == before
    last = go_on(url, f"bytes {step}-{step + 2}/{step + 3}", b"end")
    assert last.status_code == 200, last.text
    assert scene.admin("GET", v0(name, "?alt=media")).content == b"x" * step + b"end"
    assert scene.send(who, "DELETE", begin().headers["Location"], "Bearer").status_code in (204, 499)


@pytest.mark.parametrize("who", WHO)
def test_a_download_token_opens_its_object_to_whoever_has_it(scene, who):
    name, other = (f"{scene.folder}/{next(numbers)}.png" for _ in range(2))
    scene.put(name)
    scene.put(other)
    token = scene.admin("GET", v0(name)).json()["downloadTokens"]
    assert scene.send(who, "GET", v0(name, f"?alt=media&token={token}")).content == CONTENT
    for path in (v0(other, f"?alt=media&token={token}"), v0(name, "?alt=media&token=x"), v0(name, "?alt=media&token=")):
        answer = scene.send(who, "GET", path)
        assert (answer.status_code == 200) == (who in ("owner", "administrator")), path
    if who not in ("owner", "administrator"):
        before = scene.state()
        for method in ("DELETE", "PATCH"):
            answer = scene.send(who, method, v0(name, f"?token={token}"), json={"metadata": {"a": "1"}})
            assert answer.status_code in (401, 403)
        assert scene.state() == before


@pytest.mark.parametrize("who", WHO)
def test_a_signed_url_does_one_thing_for_whoever_has_it(scene, who):
    name = f"{scene.folder}/{next(numbers)}.png"
    scene.put(name)

    def sign(method, object_name=name, **options):
        # The server's time of day is ahead.
        ahead = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=2) - options.pop("age", datetime.timedelta())
        with mock.patch("google.cloud.storage._signing._NOW", lambda *_: ahead):
            return scene.signer.blob(object_name).generate_signed_url(
                version="v4", method=method, api_access_endpoint=scene.server.url, expiration=datetime.timedelta(minutes=5), **options
            )

    # Again and again: from the second time on by a verified URL's memory, if nobody else's credentials come along.
    url = sign("GET")
    for _ in range(3):
        assert scene.send(who, "GET", url, "Bearer").content == scene.send("nobody", "GET", url).content == CONTENT
    assert scene.send(who, "PUT", sign("PUT"), "Bearer", data=NEW).status_code == 200
    assert scene.admin("GET", v0(name, "?alt=media")).content == NEW
    before = scene.state()
    for method, url in (("DELETE", sign("GET")), ("PUT", sign("GET")), ("GET", sign("GET").replace(".png?", ".gif?")),
                        ("GET", sign("GET", age=datetime.timedelta(hours=1))),
                        ("GET", scene.server.url + f"/{BUCKET}/{name}?X-Goog-Signature=00")):
        answer = scene.send(who, method, url, "Bearer", data=NEW if method == "PUT" else None)
        if who == "administrator" and "X-Goog-Algorithm" not in url:
            continue
        assert answer.status_code in (400, 401, 403) and NEW not in answer.content, (method, url)
    assert scene.state() == before
    assert scene.send(who, "DELETE", sign("DELETE"), "Bearer").status_code == 204


def test_an_upload_outlives_the_token_that_began_it_as_long_as_its_owner_may(scene):
    answer = requests.put(scene.started, b"12345678", headers={
        "X-Goog-Upload-Command": "upload, finalize", "X-Goog-Upload-Offset": "0",
    }, timeout=30)
    assert answer.status_code == 200, answer.text
    stored = scene.send("owner", "GET", v0(f"{scene.folder}/begun.png", "?alt=media"))
    assert stored.status_code == 200 and stored.content == b"12345678"


def test_denials_are_in_the_log_with_their_condition(scene):
    name = f"{scene.folder}/{next(numbers)}.png"
    scene.put(name)
    request = scene.send("other", "GET", v0(name)).headers["x-request-id"]
    scene.server.wait_for_output(request)
    line = next(line for line in scene.server.output.splitlines() if request in line)
    assert "denied" in line and "get" in line and BUCKET in line and "request.auth.uid == uid" in line


def test_a_denial_is_explained(scene, tmp_path):
    name = f"{scene.folder}/{next(numbers)}.png"
    scene.put(name)

    def explain(*arguments):
        return servers.run(
            "rules", "explain", *arguments, "--bucket", BUCKET, "--project", PROJECT, "--data", scene.server.data
        ).stdout.splitlines()

    uid = scene.folder.split("/")[1]
    assert explain("get", name, "--uid", uid)[-1] == "allowed"
    lines = explain("get", name, "--uid", "bea")
    assert lines[0].startswith("not allowed by line 6: allow read, write") and lines[-1] == "denied"
    assert '    request.auth.uid = "bea"' in lines and f'    uid = "{uid}"' in lines
    assert explain("list", scene.folder, "--uid", uid)[-1] == "allowed"
    assert explain("list", scene.folder + "/", "--uid", "bea")[-1] == "denied"
    sizes = tmp_path / "sizes.rules"
    sizes.write_text("""
        service firebase.storage { match /b/{bucket}/o/{path=**} {
          allow create: if request.resource.size < 100 && request.resource.contentType.matches('image/.*');
          allow update: if resource.size == 14 && resource.timeCreated < request.time;
        } }
    """)
    for size, verdict in ((99, "allowed"), (100, "denied")):
        new = json.dumps({"size": size, "contentType": "image/png"})
        assert explain("create", "a", "--rules", sizes, "--new-resource", new)[-1] == verdict
    assert explain("update", name, "--rules", sizes)[-1] == "allowed"
    given = servers.run(
        "rules", "explain", "update", "a", "--bucket", "b.appspot.com", "--rules", sizes, "--documents", "{}",
        "--resource", json.dumps({"size": 14, "timeCreated": "2020-01-01T00:00:00Z"}),
    ).stdout.splitlines()
    assert given[-1] == "allowed"
    assert servers.run("rules", "explain", "get", "..", "--bucket", BUCKET, "--project", PROJECT, "--data", scene.server.data,
                       check=False).returncode != 0
