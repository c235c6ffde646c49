"""Signed URLs, forms and the XML API, with Google's own library as the one who signs."""

import base64
import datetime
import hashlib
import json
import os
import xml.etree.ElementTree as xml
from email.utils import formatdate
from unittest import mock

import boto3
import pytest
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage
from google.oauth2 import service_account
from google.cloud.storage import transfer_manager

from support import secrets, server as servers, tokens

pytestmark = pytest.mark.brasa_only

BUCKET = f"{servers.PROJECT}.appspot.com"


@pytest.fixture(scope="module")
def account(production, tmp_path_factory):
    """The file of a service account that the server made."""
    file = tmp_path_factory.mktemp("keys") / "signer.json"
    servers.run(
        "keys", "create", "signer", "--role", "admin", "--project", servers.PROJECT, "--out", file,
        "--origin", production.url, "--data", production.data,
    )
    secrets.note_file(file)
    return file


@pytest.fixture(scope="module")
def bucket(account):
    """The bucket as the library that signs has it; nothing is sent by it."""
    return storage.Client.from_service_account_json(str(account)).bucket(BUCKET)


@pytest.fixture
def send(production):
    def request(method, url, **options):
        return requests.request(
            method, url, verify=production.authority, timeout=30, allow_redirects=False, **options
        )
    return request


@pytest.fixture
def sign(production, bucket):
    def signed(name, method="GET", **options):
        options = {"expiration": datetime.timedelta(minutes=10), **options}
        return bucket.blob(name).generate_signed_url(
            version="v4", method=method, api_access_endpoint=production.url, **options
        )
    return signed


@pytest.fixture
def sign2(production, bucket):
    """Signs by version 2, as Google's client for Node does by itself."""
    def signed(name, method="GET", **options):
        options = {"expiration": datetime.timedelta(minutes=10), **options}
        return bucket.blob(name).generate_signed_url(
            version="v2", method=method, api_access_endpoint=production.url, **options
        )
    return signed


def code(answer):
    return xml.fromstring(answer.content).find("Code").text


def test_a_signed_url_is_for_one_request(send, sign):
    name = "users/ana/a photo+%.png"
    put = sign(name, "PUT", content_type="image/png", headers={"x-goog-meta-album": "1"})
    headers = {"Content-Type": "image/png", "x-goog-meta-album": "1"}
    assert code(send("PUT", put, data=b"photo")) in ("MalformedSecurityHeader", "SignatureDoesNotMatch")
    assert send("PUT", put, data=b"photo", headers={**headers, "Content-Type": "text/html"}).status_code == 403
    extra = send("PUT", put, data=b"photo", headers={**headers, "x-goog-meta-b": "2"})
    assert extra.status_code == 400 and code(extra) == "MalformedSecurityHeader"
    stored = send("PUT", put, data=b"photo", headers=headers)
    assert stored.status_code == 200 and stored.headers["ETag"] and "md5=" in stored.headers["x-goog-hash"]
    get = sign(name)
    answer = send("GET", get)
    assert answer.content == b"photo" and answer.headers["Content-Type"] == "image/png"
    assert send("GET", get, headers={"Range": "bytes=1-2"}).content == b"ho"
    assert send("DELETE", get).status_code == 403
    assert code(send("GET", get.replace("photo", "other"))) == "SignatureDoesNotMatch"
    assert code(send("GET", get + "&generation=1")) == "SignatureDoesNotMatch"
    assert code(send("GET", get[:-4] + "0000")) == "SignatureDoesNotMatch"
    assert send("HEAD", sign(name, "HEAD")).headers["Content-Length"] == "5"
    shown = send("GET", sign(name, response_disposition='attachment; filename="a.png"', response_type="text/plain"))
    assert shown.headers["Content-Disposition"] == 'attachment; filename="a.png"'
    assert shown.headers["Content-Type"] == "text/plain"
    assert send("DELETE", sign(name, "DELETE")).status_code == 204
    gone = send("GET", get)
    assert gone.status_code == 404 and code(gone) == "NoSuchKey"


def test_a_signed_url_expires(send, sign):
    past = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=2)
    with mock.patch("google.cloud.storage._signing._NOW", lambda *_: past):
        old = sign("a", expiration=datetime.timedelta(hours=1))
        valid = sign("a", expiration=datetime.timedelta(hours=3))
    answer = send("GET", old)
    assert answer.status_code == 400 and code(answer) == "ExpiredToken"
    assert code(send("GET", valid)) == "NoSuchKey"


def test_a_url_of_version_2_is_for_one_request(production, send, sign, sign2):
    name = "users/ana/a photo+%.png"
    put = sign2(name, "PUT", content_type="image/png", headers={"x-goog-meta-album": "1"})
    headers = {"Content-Type": "image/png", "x-goog-meta-album": "1"}
    for wrong in ({}, {**headers, "Content-Type": "text/html"}, {**headers, "x-goog-meta-b": "2"},
                  {**headers, "x-amz-meta-b": "2"}, {**headers, "x-amz-copy-source": f"/{BUCKET}/secret"}):
        refused = send("PUT", put, data=b"photo", headers=wrong)
        assert refused.status_code == 403 and code(refused) == "SignatureDoesNotMatch", wrong
    stored = send("PUT", put, data=b"photo", headers=headers)
    assert stored.status_code == 200, stored.text
    get = sign2(name)
    answer = send("GET", get)
    assert answer.content == b"photo" and answer.headers["x-goog-meta-album"] == "1"
    # As for every other URL, and after it was downloaded once too.
    assert send("GET", get, headers={"Range": "bytes=1-2"}).content == b"ho"
    assert send("GET", get, headers={"Content-Type": "text/plain"}).status_code == 403
    assert send("DELETE", get).status_code == send("HEAD", get).status_code == 403
    assert send("HEAD", sign2(name, "HEAD")).headers["Content-Length"] == "5"
    assert code(send("GET", get.replace("photo", "other"))) == "SignatureDoesNotMatch"
    assert code(send("GET", get + "&uploadId=1")) == "SignatureDoesNotMatch"
    for missing in ("GoogleAccessId", "Signature", "Expires"):
        part = next(part for part in get.split("?")[1].split("&") if part.startswith(missing))
        assert code(send("GET", get.replace(part, ""))) == "InvalidArgument", missing
    shown = send("GET", sign2(name, response_disposition='attachment; filename="a b.png"', response_type="text/plain"))
    assert shown.headers["Content-Disposition"] == 'attachment; filename="a b.png"'
    assert shown.headers["Content-Type"] == "text/plain"
    # Node says the generation beside what is signed.
    assert send("GET", f"{get}&generation={stored.headers['x-goog-generation']}").content == b"photo"
    delete = sign2(name, "DELETE")
    assert send("DELETE", f"{delete}&generation={stored.headers['x-goog-generation']}").status_code == 403
    begun = send("POST", sign2("begun", "RESUMABLE", content_type="text/plain"),
                 headers={"x-goog-resumable": "start", "Content-Type": "text/plain"})
    assert begun.status_code == 201
    assert send("PUT", begun.headers["Location"], data=b"whole").status_code == 200
    assert send("GET", sign("begun")).content == b"whole"
    assert send("DELETE", delete).status_code == 204
    assert code(send("GET", get)) == "NoSuchKey"


def test_a_url_of_version_2_ends_with_its_time_and_with_its_key(production, send, sign2, tmp_path):
    past = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=1)
    old = send("GET", sign2("a", expiration=past))
    assert old.status_code == 400 and code(old) == "ExpiredToken"
    file = tmp_path / "gone.json"
    servers.run(
        "keys", "create", "gone2", "--role", "admin", "--project", servers.PROJECT, "--out", file,
        "--origin", production.url, "--data", production.data,
    )
    secrets.note_file(file)
    gone = storage.Client.from_service_account_json(str(file)).bucket(BUCKET).blob("v2")
    url = gone.generate_signed_url(
        version="v2", expiration=datetime.timedelta(minutes=10), method="PUT", api_access_endpoint=production.url)
    assert send("PUT", url, data=b"x").status_code == 200
    servers.run("keys", "revoke", json.loads(file.read_text())["private_key_id"], "--data", production.data)
    assert code(send("PUT", url, data=b"y")) == "SignatureDoesNotMatch"


@pytest.fixture(scope="module")
def stranger():
    """A service account of whose key no server knows, as apps have them from Google."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    return service_account.Credentials.from_service_account_info({
        "client_email": "stranger@elsewhere.iam.gserviceaccount.com", "private_key": key,
        "token_uri": "http://127.0.0.1:9/token",
    })


@pytest.mark.parametrize("version", ["v2", "v4"])
def test_development_takes_urls_of_foreign_keys_and_production_does_not(server, production, send, project, stranger, version):
    bucket = storage.Client(project=project, credentials=stranger).bucket(f"{project}.appspot.com")

    def signed(address, method, **options):
        options = {"expiration": datetime.timedelta(minutes=10), "version": version, **options}
        return bucket.blob("a b").generate_signed_url(method=method, api_access_endpoint=address, **options)

    assert requests.put(signed(server.url, "PUT"), data=b"x", timeout=30).status_code == 200
    for _ in range(3):
        assert requests.get(signed(server.url, "GET"), timeout=30).content == b"x"
    for method, data in (("GET", None), ("PUT", b"y"), ("DELETE", None)):
        # A page of another origin has no rights by a signature of its own making.
        page = requests.request(method, signed(server.url, method), data=data, headers={"Origin": "https://evil.example"}, timeout=30)
        assert page.status_code == 403 and page.content != b"x"
        refused = send(method, signed(production.url, method), data=data)
        assert refused.status_code == 403 and code(refused) == "SignatureDoesNotMatch"
    own = requests.get(signed(server.url, "GET"), headers={"Origin": "http://localhost:3000"}, timeout=30)
    assert own.content == b"x"
    past = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=2)
    with mock.patch("google.cloud.storage._signing._NOW", lambda *_: past):
        late = signed(server.url, "GET", expiration=datetime.timedelta(hours=1) if version == "v4" else past)
    assert code(requests.get(late, timeout=30)) == "ExpiredToken"


def test_development_takes_forms_of_foreign_keys_but_not_from_foreign_pages(server, production, send, project, stranger):
    client = storage.Client(project=project, credentials=stranger)
    for address, request, origin, status in (
        (server.url, requests.request, None, 204), (server.url, requests.request, "http://localhost:3000", 204),
        (server.url, requests.request, "https://evil.example", 403), (production.url, send, None, 403),
    ):
        name = BUCKET if address == production.url else f"{project}.appspot.com"
        fields = client.generate_signed_post_policy_v4(name, "a", expiration=datetime.timedelta(minutes=10))["fields"]
        answer = request("POST", f"{address}/{name}/", data=fields, files={"file": ("a", b"x")},
                         headers={"Origin": origin} if origin else {})
        assert answer.status_code == status, (origin, answer.text)


def test_development_knows_its_own_keys(tmp_path):
    """What is said in the name of an account that the server has is verified."""
    server = servers.Brasa(tmp_path / "data").start()
    try:
        file = tmp_path / "own.json"
        servers.run("keys", "create", "own-key", "--role", "admin", "--project", "shop", "--out", file,
                    "--origin", server.url, "--data", server.data)
        secrets.note_file(file)
        blob = storage.Client.from_service_account_json(str(file)).bucket("shop.appspot.com").blob("a")
        for version in ("v2", "v4"):
            def url(method):
                return blob.generate_signed_url(
                    version=version, expiration=datetime.timedelta(minutes=10), method=method,
                    api_access_endpoint=server.url)
            assert requests.put(url("PUT"), data=b"x", timeout=30).status_code == 200
            assert requests.get(url("PUT"), timeout=30).status_code == 403
            assert requests.put(url("PUT").replace("/a?", "/b?"), data=b"x", timeout=30).status_code == 403
        made = requests.post(
            f"{server.url}/storage/v1/projects/shop/hmacKeys", timeout=30,
            params={"serviceAccountEmail": json.loads(file.read_text())["client_email"]},
        ).json()
        secrets.note(made["secret"], "an HMAC key's secret")
        known, unknown = made["metadata"]["accessId"], "GOOG1EXAMPLE"
        for access, status in ((known, 403), (unknown, 200)):
            s3 = boto3.client("s3", endpoint_url=server.url, region_name="auto", aws_access_key_id=access,
                              aws_secret_access_key="not its secret")
            url = s3.generate_presigned_url("get_object", Params={"Bucket": "shop.appspot.com", "Key": "a"})
            assert requests.get(url, timeout=30).status_code == status, access
    finally:
        server.kill()


def test_nobody_else_reaches_the_xml_api(production, send, account):
    url = f"{production.url}/{BUCKET}/a"
    user = tokens.unsigned(servers.PROJECT, "ana")
    for headers, status in (
        ({}, 403), ({"Authorization": "Bearer owner"}, 401), ({"Authorization": f"Bearer {user}"}, 401),
        ({"Authorization": "GOOG4-HMAC-SHA256 x"}, 400), ({"Authorization": "AWS a:b"}, 400),
        ({"Authorization": "AWS a:c2ln", "Date": formatdate(usegmt=True)}, 403), ({"Authorization": "AWS2 a:c2ln"}, 401),
    ):
        for method in ("GET", "PUT", "DELETE", "POST"):
            answer = send(method, url, headers=headers)
            assert answer.status_code == status, (method, headers, answer.text)
            assert code(answer)
    assert send("GET", f"{production.url}/unknown-bucket/a").status_code == 404
    key = {"Authorization": f"Bearer {production.administrator_key}"}
    assert send("PUT", url, headers=key, data=b"x").status_code == 200
    listed = xml.fromstring(send("GET", f"{production.url}/{BUCKET}", headers=key).content)
    assert "a" in [element.text for element in listed.iter() if element.tag.endswith("}Key")]


def test_a_key_that_was_taken_back_signs_nothing(production, send, tmp_path):
    file = tmp_path / "gone.json"
    servers.run(
        "keys", "create", "gone", "--role", "admin", "--project", servers.PROJECT, "--out", file,
        "--origin", production.url, "--data", production.data,
    )
    secrets.note_file(file)
    client = storage.Client.from_service_account_json(str(file))
    url = client.bucket(BUCKET).blob("a").generate_signed_url(
        version="v4", expiration=600, method="PUT", api_access_endpoint=production.url
    )
    read = client.bucket(BUCKET).blob("a").generate_signed_url(
        version="v4", expiration=600, api_access_endpoint=production.url
    )
    assert send("PUT", url, data=b"x").status_code == 200
    assert [send("GET", read).content for _ in range(3)] == [b"x"] * 3
    servers.run("keys", "revoke", json.loads(file.read_text())["private_key_id"], "--data", production.data)
    assert send("PUT", url, data=b"y").status_code == 403
    assert send("GET", read).status_code == 403


def test_a_signed_url_that_comes_again_is_answered_alike(send, sign, production):
    name = "again"
    assert send("PUT", sign(name, "PUT"), data=b"0123456789").status_code == 200
    url = sign(name, response_type="text/plain")
    asked = [{}, {"Range": "bytes=2-4"}, {"Range": "bytes=20-"}, {"If-None-Match": "*"}, {"Origin": "http://page.test"}]
    first = [send("GET", url, headers=headers) for headers in asked]
    for answer, headers in zip(first, asked):
        again = send("GET", url, headers=headers)
        assert (again.status_code, again.content) == (answer.status_code, answer.content), headers
        shown = [{k.lower(): v for k, v in a.headers.items() if k.lower() != "x-request-id"} for a in (answer, again)]
        assert shown[0] == shown[1], headers
    assert code(send("GET", url[:-4] + "0000")) == "SignatureDoesNotMatch"
    assert code(send("GET", url, headers={"x-goog-meta-a": "b"})) == "MalformedSecurityHeader"
    assert send("PUT", sign(name, "PUT"), data=b"other").status_code == 200
    assert send("GET", url).content == b"other"
    assert send("DELETE", sign(name, "DELETE")).status_code == 204
    assert code(send("GET", url)) == "NoSuchKey"


def test_a_signed_resumable_upload(send, sign):
    start = sign("big", "RESUMABLE", content_type="text/plain")
    begun = send("POST", start, headers={"x-goog-resumable": "start", "Content-Type": "text/plain"})
    assert begun.status_code == 201
    url, content = begun.headers["Location"], os.urandom(600_000)
    first = send("PUT", url, data=content[:262_144], headers={"Content-Range": f"bytes 0-262143/{len(content)}"})
    assert first.status_code == 308 and first.headers["Range"] == "bytes=0-262143"
    asked = send("PUT", url, headers={"Content-Range": f"bytes */{len(content)}"})
    assert asked.status_code == 308 and asked.headers["Range"] == "bytes=0-262143"
    assert send("PUT", url, data=b"x", headers={"Content-Range": "bytes 1-0/2"}).status_code == 400
    last = send(
        "PUT", url, data=content[262_144:], headers={"Content-Range": f"bytes 262144-599999/{len(content)}"}
    )
    assert last.status_code == 200
    assert send("GET", sign("big")).content == content
    assert send("PUT", url.replace("upload_id=", "upload_id=x"), data=b"x").status_code == 404


def test_a_form_does_what_its_policy_allows(production, send, sign, account):
    client = storage.Client.from_service_account_json(str(account))
    made = client.generate_signed_post_policy_v4(
        BUCKET, "users/ana/form.png", expiration=datetime.timedelta(minutes=10),
        conditions=[["content-length-range", 1, 10]], fields={"Content-Type": "image/png", "x-goog-meta-a": "1"},
    )
    secrets.note(made["fields"]["x-goog-signature"], "a policy's signature")
    url = f"{production.url}/{BUCKET}/".rstrip("/")

    def post(content=b"photo", **changes):
        fields = {**made["fields"], **changes}
        return send("POST", url, data={k: v for k, v in fields.items() if v is not None},
                    files={"file": ("a.png", content)})

    assert post().status_code == 204
    # As Google's client for Node has it.
    url += "/"
    assert post().status_code == 204
    assert code(send("POST", url, data=b"x", headers={"Content-Type": "text/plain"})) == "NotImplemented"
    url = url.rstrip("/")
    answer = send("GET", sign("users/ana/form.png"))
    assert answer.content == b"photo" and answer.headers["Content-Type"] == "image/png"
    assert code(post(b"")) == "EntityTooSmall" and code(post(b"x" * 11)) == "EntityTooLarge"
    for change in ({"key": "users/bea/1.png"}, {"Content-Type": "text/html"}, {"x-goog-meta-a": None},
                   {"acl": "public-read"}, {"bucket": "others"}):
        refused = post(**change)
        assert refused.status_code == 400 and code(refused) == "InvalidPolicyDocument", change
    assert code(post(policy=made["fields"]["policy"][:-4] + "AAA=")) == "SignatureDoesNotMatch"
    assert post(**{"x-goog-signature": None}).status_code == 400
    assert send("GET", sign("users/ana/form.png")).content == b"photo"


def test_a_form_of_version_2_does_what_its_policy_allows(production, send, sign, bucket, account):
    """As Node's `generateSignedPostPolicyV2` signs it; the file is larger than what is collected of a body."""
    end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=10)
    policy = base64.b64encode(json.dumps({
        "expiration": end.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "conditions": [["eq", "$key", "v2/form"], {"bucket": BUCKET}, ["content-length-range", 0, 20 << 20]],
    }).encode()).decode()
    signer = service_account.Credentials.from_service_account_file(str(account))
    fields = {
        "key": "v2/form", "bucket": BUCKET, "GoogleAccessId": signer.service_account_email, "policy": policy,
        "signature": base64.b64encode(signer.sign_bytes(policy.encode())).decode(),
    }
    content = os.urandom(12 << 20)

    def post(**changes):
        return send("POST", f"{production.url}/{BUCKET}/", data={**fields, **changes}, files={"file": ("a", content)})

    assert post().status_code == 204
    assert send("GET", sign("v2/form")).content == content
    assert code(post(key="v2/other")) == "InvalidPolicyDocument"
    assert code(post(signature=base64.b64encode(b"x" * 256).decode())) == "SignatureDoesNotMatch"
    assert code(post(GoogleAccessId="other@shop.iam.brasa")) == "SignatureDoesNotMatch"
    assert code(send("GET", sign("v2/other"))) == "NoSuchKey"


def test_a_form_that_is_cut_off_or_late_stores_nothing(production, send, sign, account):
    client = storage.Client.from_service_account_json(str(account))
    url = f"{production.url}/{BUCKET}"

    def form(name, **options):
        made = client.generate_signed_post_policy_v4(BUCKET, name, **options)["fields"]
        secrets.note(made["x-goog-signature"], "a policy's signature")
        return made

    fields = form("cut", expiration=datetime.timedelta(minutes=10))
    whole = "".join(
        f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()
    ) + '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nphoto\r\n--b--\r\n'
    type = {"Content-Type": "multipart/form-data; boundary=b"}
    for end in ("--b--\r\n", "\r\n--b--\r\n", "oto\r\n--b--\r\n", 'name="file"; filename="a"\r\n\r\nphoto\r\n--b--\r\n'):
        cut = send("POST", url, data=whole.removesuffix(end), headers=type)
        assert cut.status_code == 400, (end, cut.text)
        assert code(send("GET", sign("cut"))) == "NoSuchKey"
    assert send("POST", url, data=whole, headers=type).status_code == 204
    past = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=2)
    with mock.patch("google.cloud.storage.client._NOW", lambda *_: past):
        late = form("late", expiration=datetime.timedelta(hours=1))
        valid = form("late", expiration=datetime.timedelta(hours=3))
    answer = send("POST", url, data=late, files={"file": ("a", b"photo")})
    assert answer.status_code == 400 and code(answer) == "InvalidPolicyDocument" and "expired" in answer.text
    assert code(send("GET", sign("late"))) == "NoSuchKey"
    assert send("POST", url, data=valid, files={"file": ("a", b"photo")}).status_code == 204


@pytest.fixture
def emulated(server, project, monkeypatch):
    """The bucket of Google's client that takes the server for an emulator."""
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", server.url)
    client = storage.Client(project=project, credentials=AnonymousCredentials())
    return client.bucket(f"{project}.appspot.com")


def test_parts_that_arrive_at_once_become_one_object(server, emulated, tmp_path):
    content = os.urandom(5 << 20)
    (tmp_path / "file").write_bytes(content)
    blob = emulated.blob("parts/a b.bin")
    blob.metadata = {"a": "1"}
    transfer_manager.upload_chunks_concurrently(
        str(tmp_path / "file"), blob, content_type="application/x-a", chunk_size=1 << 20, max_workers=4,
        worker_type=transfer_manager.THREAD,
    )
    answer = requests.get(f"{server.url}/{emulated.name}/parts/a%20b.bin", timeout=30)
    assert hashlib.sha256(answer.content).digest() == hashlib.sha256(content).digest()
    assert answer.headers["Content-Type"] == "application/x-a"


def test_a_multipart_upload_by_hand(server, project):
    url = f"{server.url}/{project}.appspot.com/a"
    spaces = {"s": "http://s3.amazonaws.com/doc/2006-03-01/"}

    def begin():
        return xml.fromstring(requests.post(url + "?uploads", timeout=30).content).find("s:UploadId", spaces).text

    def part(id, number, content):
        return requests.put(f"{url}?partNumber={number}&uploadId={id}", content, timeout=30)

    def complete(id, parts):
        body = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>{tag}</ETag></Part>" for n, tag in parts)
        return requests.post(
            f"{url}?uploadId={id}", f"<CompleteMultipartUpload>{body}</CompleteMultipartUpload>", timeout=30
        )

    id = begin()
    tags = {number: part(id, number, content).headers["ETag"] for number, content in ((2, b"two"), (1, b"one"), (7, b"7"))}
    tags[1] = part(id, 1, b"ONE").headers["ETag"]
    listed = xml.fromstring(requests.get(f"{url}?uploadId={id}", timeout=30).content)
    assert [e.text for e in listed.findall("s:Part/s:PartNumber", spaces)] == ["1", "2", "7"]
    assert code(complete(id, [(2, tags[2]), (1, tags[1])])) == "InvalidPartOrder"
    assert code(complete(id, [(1, tags[2])])) == code(complete(id, [(3, tags[1])])) == "InvalidPart"
    assert complete(id, []).status_code == 400
    assert requests.get(url, timeout=30).status_code == 404
    assert complete(id, [(1, tags[1]), (2, tags[2])]).status_code == 200
    assert requests.get(url, timeout=30).content == b"ONEtwo"
    assert code(complete(id, [(1, tags[1])])) == "NoSuchUpload"
    id = begin()
    assert part(id, 0, b"").status_code == part(id, 10_001, b"").status_code == part(id, "x", b"").status_code == 400
    assert requests.put(f"{url}b?partNumber=1&uploadId={id}", b"x", timeout=30).status_code == 404
    assert requests.delete(f"{url}?uploadId={id}", timeout=30).status_code == 204
    assert code(part(id, 1, b"x")) == "NoSuchUpload"
    assert requests.get(url, timeout=30).content == b"ONEtwo"


def test_multipart_uploads_are_listed(server, project):
    bucket = f"{server.url}/{project}.appspot.com"
    spaces = {"s": "http://s3.amazonaws.com/doc/2006-03-01/"}

    def listed(**parameters):
        answer = requests.get(f"{bucket}?uploads", params=parameters, timeout=30)
        assert answer.status_code == 200, answer.text
        return xml.fromstring(answer.content)

    def texts(page, path):
        return [element.text for element in page.findall(path, spaces)]

    assert texts(listed(), "s:Upload/s:Key") == []
    begun = {}
    for name in ("b/2", "a", "b/1", "a", "c"):
        id = xml.fromstring(requests.post(f"{bucket}/{name}?uploads", timeout=30).content).find("s:UploadId", spaces).text
        begun.setdefault(name, []).append(id)
    requests.post(f"{server.url}/other-{project}.appspot.com/z?uploads", timeout=30)
    page = listed()
    assert texts(page, "s:Upload/s:Key") == ["a", "a", "b/1", "b/2", "c"]
    assert texts(page, "s:Upload/s:UploadId") == [*sorted(begun["a"]), *begun["b/1"], *begun["b/2"], *begun["c"]]
    assert texts(page, "s:IsTruncated") == ["false"] and texts(page, "s:Upload/s:Initiated")[0].endswith("Z")
    page = listed(delimiter="/")
    assert texts(page, "s:Upload/s:Key") == ["a", "a", "c"] and texts(page, "s:CommonPrefixes/s:Prefix") == ["b/"]
    assert texts(listed(prefix="b/"), "s:Upload/s:Key") == ["b/1", "b/2"]
    found, markers = [], {}
    while True:
        page = listed(**{"max-uploads": 2}, **markers)
        found += texts(page, "s:Upload/s:Key")
        if texts(page, "s:IsTruncated") == ["false"]:
            break
        markers = {"key-marker": texts(page, "s:NextKeyMarker")[0], "upload-id-marker": texts(page, "s:NextUploadIdMarker")[0]}
    assert found == ["a", "a", "b/1", "b/2", "c"]
    assert texts(listed(**{"key-marker": "a"}), "s:Upload/s:Key") == ["b/1", "b/2", "c"]
    assert requests.delete(f"{bucket}/c?uploadId={begun['c'][0]}", timeout=30).status_code == 204
    assert texts(listed(), "s:Upload/s:Key") == ["a", "a", "b/1", "b/2"]
    assert requests.get(f"{bucket}?uploads&max-uploads=x", timeout=30).status_code == 400


def test_a_resumable_upload_without_308(server, project):
    url = f"{server.url}/{project}.appspot.com/a"
    begun = requests.post(url, headers={"x-goog-resumable": "start"}, timeout=30).headers["Location"]

    def put(content, range):
        headers = {"Content-Range": f"bytes {range}", "X-GUploader-No-308": "yes"}
        return requests.put(begun, content, headers=headers, timeout=30)

    answer = put(b"one", "0-2/6")
    assert (answer.status_code, answer.headers["X-Http-Status-Code-Override"]) == (200, "308")
    assert answer.headers["Range"] == "bytes=0-2"
    answer = put(b"", "*/6")
    assert (answer.status_code, answer.headers["X-Http-Status-Code-Override"]) == (200, "308")
    answer = put(b"two", "3-5/6")
    assert answer.status_code == 200 and "X-Http-Status-Code-Override" not in answer.headers
    assert requests.get(url, timeout=30).content == b"onetwo"


def test_lifecycle_rules_abort_multipart_uploads(tmp_path):
    """At the start and every hour; nothing else of the bucket is touched, and no other bucket.

    An upload whose bytes are damaged does not keep those behind it.
    """
    brasa = servers.Brasa(tmp_path / "data").start()
    rule = {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"age": 0, "matchesPrefix": ["tmp/"]}}

    def url(bucket, name):
        return f"{brasa.url}/{bucket}.appspot.com/{name}"

    def begin(bucket, name):
        answer = requests.post(url(bucket, name) + "?uploads", timeout=30)
        id = next(element.text for element in xml.fromstring(answer.content) if element.tag.endswith("UploadId"))
        assert part(bucket, name, id).status_code == 200
        return bucket, name, id

    def part(bucket, name, id):
        return requests.put(f"{url(bucket, name)}?partNumber=1&uploadId={id}", b"part", timeout=30)

    try:
        for condition in ({"isLive": True}, {"numNewerVersions": 1}, {"createdBefore": "2026-01-01"}):
            refused = requests.post(f"{brasa.url}/storage/v1/b?project=p", json={
                "name": "refused-bucket", "lifecycle": {"rule": [{**rule, "condition": condition}]},
            }, timeout=30)
            assert refused.status_code == 400, condition
        requests.put(url("one", "tmp/object"), b"stays", timeout=30)
        named = begin("one", "tmp/a")
        kept, other = begin("one", "a"), begin("two", "tmp/a")
        made = requests.patch(f"{brasa.url}/storage/v1/b/one.appspot.com", json={"lifecycle": {"rule": [rule]}}, timeout=30)
        assert made.status_code == 200 and made.json()["lifecycle"]["rule"] == [rule]
        assert brasa.stop() == 0
        brasa.start()
        servers.wait_for(lambda: part(*named).status_code == 404, "the end of the upload")
        assert code(part(*named)) == "NoSuchUpload"
        assert part(*kept).status_code == part(*other).status_code == 200
        assert requests.get(url("one", "tmp/object"), timeout=30).content == b"stays"
        assert brasa.stop() == 0
    finally:
        brasa.kill()


def test_a_page_of_a_stranger_is_no_administrator(server, project):
    url = f"{server.url}/{project}.appspot.com/a"
    for method in ("GET", "PUT", "DELETE"):
        answer = requests.request(method, url, headers={"Origin": "https://stranger.example"}, timeout=30)
        assert answer.status_code == 403, answer.text
    user = {"Authorization": f"Bearer {tokens.unsigned(project, 'ana')}"}
    assert requests.put(url, b"x", headers=user, timeout=30).status_code == 403
