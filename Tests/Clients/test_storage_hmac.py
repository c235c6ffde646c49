"""Secrets that the server shares with back ends: made by Google's client, used by signed URLs and clients of S3."""

import datetime
import hashlib
import hmac
import json
import os
import xml.etree.ElementTree as xml
from urllib.parse import quote, urlsplit

import boto3
import botocore.exceptions
import pytest
import requests
from botocore.config import Config
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage

from support import secrets, server as servers, tokens

pytestmark = pytest.mark.brasa_only


@pytest.fixture
def client(server, project, monkeypatch):
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", server.url)
    return storage.Client(project=project, credentials=AnonymousCredentials())


def account_of(project):
    return f"backend@{project}.iam.brasa"


def make(client, account=None):
    account = account or account_of(client.project)
    metadata, secret = client.create_hmac_key(service_account_email=account)
    secrets.note(secret, "an HMAC key")
    return metadata, secret


def sign(url, method, access_id, secret, *, dialect="GOOG4", expires=600, headers=None, time=None):
    """A signed URL, computed as Google's documents say and by none of its code or ours."""
    google = dialect == "GOOG4"
    name, service, end = ("X-Goog", "storage", "goog4_request") if google else ("X-Amz", "s3", "aws4_request")
    time = time or datetime.datetime.now(datetime.timezone.utc)
    stamp, date = time.strftime("%Y%m%dT%H%M%SZ"), time.strftime("%Y%m%d")
    parts = urlsplit(url)
    headers = {"host": parts.netloc, **(headers or {})}
    scope = f"{date}/auto/{service}/{end}"
    query = {
        f"{name}-Algorithm": f"{dialect}-HMAC-SHA256", f"{name}-Credential": f"{access_id}/{scope}",
        f"{name}-Date": stamp, f"{name}-Expires": str(expires), f"{name}-SignedHeaders": ";".join(sorted(headers)),
    }
    text = "&".join(f"{quote(key, safe='')}={quote(value, safe='')}" for key, value in sorted(query.items()))
    lines = "".join(f"{key}:{headers[key]}\n" for key in sorted(headers))
    request = f"{method}\n{parts.path}\n{text}\n{lines}\n{';'.join(sorted(headers))}\nUNSIGNED-PAYLOAD"
    message = f"{dialect}-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
    key = (dialect + secret).encode()
    for part in (date, "auto", service, end, message):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return f"{url}?{text}&{name}-Signature={key.hex()}"


def code(answer):
    return xml.fromstring(answer.content).find("Code").text


def test_a_key_from_its_making_to_its_end(client, project):
    metadata, secret = make(client)
    assert metadata.access_id.startswith("GOOG1E") and len(metadata.access_id) == 61 and len(secret) == 40
    assert metadata.service_account_email == account_of(project) and metadata.state == "ACTIVE"
    assert metadata.project == project and metadata.id == f"{project}/{metadata.access_id}"
    assert metadata.time_created == metadata.updated and metadata.exists()
    other, _ = make(client, f"other@{project}.iam.brasa")
    assert {key.access_id for key in client.list_hmac_keys()} == {metadata.access_id, other.access_id}
    assert [key.access_id for key in client.list_hmac_keys(service_account_email=account_of(project))] == [metadata.access_id]
    assert len(list(client.list_hmac_keys(max_results=1))) == 1
    found = client.get_hmac_key_metadata(metadata.access_id)
    assert found.state == "ACTIVE" and found.etag == metadata.etag
    with pytest.raises(exceptions.BadRequest):
        client._delete_resource(metadata.path)
    metadata.state = "INACTIVE"
    metadata.update()
    assert metadata.updated > metadata.time_created and metadata.etag != found.etag
    with pytest.raises(exceptions.PreconditionFailed):
        client._put_resource(metadata.path, {"state": "ACTIVE", "etag": found.etag})
    metadata.delete()
    assert [key.access_id for key in client.list_hmac_keys()] == [other.access_id]
    shown = {key.access_id: key.state for key in client.list_hmac_keys(show_deleted_keys=True)}
    assert shown == {metadata.access_id: "DELETED", other.access_id: "ACTIVE"}
    for state in ("ACTIVE", "INACTIVE"):
        metadata.state = state
        with pytest.raises(exceptions.GoogleAPICallError):
            client._put_resource(metadata.path, {"state": state})


def test_what_is_told_of_a_key_is_never_its_secret(server, client, project):
    metadata, secret = make(client)
    root = f"{server.url}/storage/v1/projects/{project}/hmacKeys"
    for answer in (requests.get(root, timeout=30), requests.get(f"{root}/{metadata.access_id}", timeout=30),
                   requests.put(f"{root}/{metadata.access_id}", json={"state": "ACTIVE"}, timeout=30)):
        assert answer.status_code == 200 and "secret" not in answer.text and secret not in answer.text


def test_pages_of_keys(server, client, project):
    made = {make(client, f"account-{number}@{project}.iam.brasa")[0].access_id for number in range(5)}
    names, token = [], ""
    while token is not None:
        page = requests.get(
            f"{server.url}/storage/v1/projects/{project}/hmacKeys", params={"maxResults": 2, "pageToken": token}, timeout=30
        ).json()
        names += [item["accessId"] for item in page["items"]]
        token = page.get("nextPageToken")
    assert len(names) == 5 and set(names) == made


def test_bad_requests_for_keys(server, client, project):
    root = f"{server.url}/storage/v1/projects/{project}/hmacKeys"
    metadata, _ = make(client)
    own = f"{root}/{metadata.access_id}"
    assert requests.post(root, timeout=30).status_code == 400
    for body in ({}, {"state": "DELETED"}, {"state": "x"}, {"state": 1}, {"state": "ACTIVE", "secret": "x"}):
        assert requests.put(own, json=body, timeout=30).status_code == 400, body
    for url in (f"{root}/GOOG1E", own.replace(project, "another-project")):
        assert requests.get(url, timeout=30).status_code == 404
        assert requests.put(url, json={"state": "INACTIVE"}, timeout=30).status_code == 404
        assert requests.delete(url, timeout=30).status_code == 404
    for _ in range(9):
        make(client)
    assert requests.post(root, params={"serviceAccountEmail": account_of(project)}, timeout=30).status_code == 403


def test_only_administrators_have_to_do_with_keys(server, client, project):
    metadata, _ = make(client)
    root = f"{server.url}/storage/v1/projects/{project}/hmacKeys"
    user = {"Authorization": f"Bearer {tokens.unsigned(project, 'ana')}"}
    for method, url in (("GET", root), ("POST", f"{root}?serviceAccountEmail={account_of(project)}"),
                        ("GET", f"{root}/{metadata.access_id}"), ("PUT", f"{root}/{metadata.access_id}"),
                        ("DELETE", f"{root}/{metadata.access_id}")):
        answer = requests.request(method, url, headers=user, json=None if method == "GET" else {}, timeout=30)
        assert answer.status_code == 403, (method, url)


@pytest.mark.parametrize("dialect", ["GOOG4", "AWS4"])
def test_a_key_signs_urls_while_it_is_active(server, client, project, dialect):
    metadata, secret = make(client)
    url = f"{server.url}/{project}.appspot.com/users/ana/a%20b.txt"
    user = {"Authorization": f"Bearer {tokens.unsigned(project, 'ana')}"}
    assert requests.get(url, headers=user, timeout=30).status_code == 403

    def signed(method, **options):
        return sign(url, method, metadata.access_id, secret, dialect=dialect, **options)

    put = signed("PUT", headers={"content-type": "text/plain"})
    assert requests.put(put, b"x", headers={"Content-Type": "text/html"}, timeout=30).status_code == 403
    assert requests.put(put, b"hello", headers={"Content-Type": "text/plain"}, timeout=30).status_code == 200
    get = signed("GET")
    assert [requests.get(get, timeout=30).content for _ in range(3)] == [b"hello"] * 3
    assert code(requests.get(get[:-4] + "0000", timeout=30)) == "SignatureDoesNotMatch"
    assert code(requests.delete(get, timeout=30)) == "SignatureDoesNotMatch"
    assert code(requests.get(sign(url, "GET", metadata.access_id, "x" * 40, dialect=dialect), timeout=30)) == "SignatureDoesNotMatch"
    # Development takes keys that it does not know on trust.
    unknown = sign(url, "GET", "GOOG1E" + "A" * 55, secret, dialect=dialect)
    assert requests.get(unknown, timeout=30).content == b"hello"
    assert requests.get(unknown, headers={"Origin": "https://evil.example"}, timeout=30).status_code == 403
    past = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)
    assert code(requests.get(signed("GET", time=past), timeout=30)) == "ExpiredToken"
    metadata.state = "INACTIVE"
    metadata.update()
    assert code(requests.get(get, timeout=30)) == "SignatureDoesNotMatch"
    metadata.state = "ACTIVE"
    metadata.update()
    assert requests.get(get, timeout=30).status_code == 200
    metadata.state = "INACTIVE"
    metadata.update()
    metadata.delete()
    assert code(requests.get(get, timeout=30)) == "SignatureDoesNotMatch"


@pytest.fixture
def s3(server, client):
    """A client of S3, which we did not write."""
    def connect(access_id, secret):
        return boto3.client(
            "s3", endpoint_url=server.url, region_name="auto", aws_access_key_id=access_id, aws_secret_access_key=secret,
            config=Config(
                s3={"addressing_style": "path"}, signature_version="s3v4", request_checksum_calculation="when_required",
                response_checksum_validation="when_required", retries={"max_attempts": 1},
            ),
        )
    return connect


def test_a_client_of_s3(s3, client, project):
    metadata, secret = make(client)
    connected, bucket = s3(metadata.access_id, secret), f"{project}.appspot.com"
    connected.put_object(Bucket=bucket, Key="a/b c.txt", Body=b"hello", ContentType="text/plain", Metadata={"album": "1"})
    found = connected.get_object(Bucket=bucket, Key="a/b c.txt")
    assert found["Body"].read() == b"hello" and found["ContentType"] == "text/plain"
    assert connected.get_object(Bucket=bucket, Key="a/b c.txt", Range="bytes=1-2")["Body"].read() == b"el"
    assert connected.head_object(Bucket=bucket, Key="a/b c.txt")["ContentLength"] == 5
    connected.copy_object(Bucket=bucket, Key="copy", CopySource={"Bucket": bucket, "Key": "a/b c.txt"})
    listed = connected.list_objects_v2(Bucket=bucket, Delimiter="/")
    assert [item["Key"] for item in listed["Contents"]] == ["copy"]
    assert [item["Prefix"] for item in listed["CommonPrefixes"]] == ["a/"]
    begun = connected.create_multipart_upload(Bucket=bucket, Key="parts")["UploadId"]
    content = os.urandom(3 << 20)
    tags = [
        {"PartNumber": number + 1, "ETag": connected.upload_part(
            Bucket=bucket, Key="parts", UploadId=begun, PartNumber=number + 1, Body=content[number << 20:(number + 1) << 20]
        )["ETag"]} for number in range(3)
    ]
    connected.complete_multipart_upload(Bucket=bucket, Key="parts", UploadId=begun, MultipartUpload={"Parts": tags})
    assert connected.get_object(Bucket=bucket, Key="parts")["Body"].read() == content
    url = connected.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "copy"})
    assert requests.get(url, timeout=30).content == b"hello"
    connected.delete_object(Bucket=bucket, Key="copy")
    # One client each: this one does not send the body of what is refused, and uses the connection again.
    for attempt in (lambda wrong: wrong.get_object(Bucket=bucket, Key="parts"),
                    lambda wrong: wrong.put_object(Bucket=bucket, Key="parts", Body=b"x"),
                    lambda wrong: wrong.list_objects_v2(Bucket=bucket)):
        with pytest.raises(botocore.exceptions.ClientError) as failure:
            attempt(s3(metadata.access_id, "x" * 40))
        assert failure.value.response["Error"]["Code"] == "SignatureDoesNotMatch"
    assert connected.get_object(Bucket=bucket, Key="parts")["Body"].read() == content


def test_a_key_is_worth_what_its_account_is(production, authority, tmp_path):
    """In production: over TLS, kept over a restart, and gone with the service account."""
    file = tmp_path / "hmac.json"
    servers.run(
        "keys", "create", "hmac", "--role", "admin", "--project", servers.PROJECT, "--out", file,
        "--origin", production.url, "--data", production.data,
    )
    secrets.note_file(file)
    account = json.loads(file.read_text())["client_email"]
    root = f"{production.url}/storage/v1/projects/{servers.PROJECT}/hmacKeys"
    key = {"Authorization": f"Bearer {production.administrator_key}"}
    for headers, status in (({}, 403), ({"Authorization": "Bearer owner"}, 401)):
        assert requests.post(
            root, params={"serviceAccountEmail": account}, headers=headers, verify=authority, timeout=30
        ).status_code == status
    unknown = requests.post(
        root, params={"serviceAccountEmail": "nobody@x"}, headers=key, verify=authority, timeout=30
    )
    assert unknown.status_code == 404
    made = requests.post(
        root, params={"serviceAccountEmail": account}, headers=key, verify=authority, timeout=30
    ).json()
    secrets.note(made["secret"], "an HMAC key")
    access_id = made["metadata"]["accessId"]
    url = f"{production.url}/{servers.PROJECT}.appspot.com/by-hmac"
    put = sign(url, "PUT", access_id, made["secret"])
    assert requests.put(put, b"signed", verify=authority, timeout=30).status_code == 200
    assert requests.get(sign(url, "GET", access_id, made["secret"]), verify=authority, timeout=30).content == b"signed"
    servers.run("keys", "revoke", account, "--data", production.data)
    answer = requests.get(sign(url, "GET", access_id, made["secret"]), verify=authority, timeout=30)
    assert answer.status_code == 403 and code(answer) == "SignatureDoesNotMatch"
