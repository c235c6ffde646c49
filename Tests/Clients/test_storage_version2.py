"""Requests that an HMAC key signs by version 2: by s3cmd and boto3, which we did not write, and by Google's form of it."""

import base64
import datetime
import email.utils
import hashlib
import hmac
import xml.etree.ElementTree as xml

import boto3
import botocore.exceptions
import pytest
import requests
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

from support import server as servers, storage_tools as tools

pytestmark = pytest.mark.brasa_only

LARGE = 11 << 20


def connect(server, key):
    """Amazon's client as it is told to sign by version 2."""
    return boto3.client(
        "s3", endpoint_url=server.url, region_name="us-east-1", aws_access_key_id=key[0], aws_secret_access_key=key[1],
        verify=server.authority,
        config=Config(signature_version="s3", s3={"addressing_style": "path"}, retries={"max_attempts": 1}),
    )


@pytest.fixture(scope="module")
def administrator(production):
    return {"Authorization": f"Bearer {production.administrator_key}"}


@pytest.fixture(scope="module")
def owned(production, tmp_path_factory):
    """Projects of the production server in which keys may be made."""
    def make(project):
        file = tmp_path_factory.mktemp("keys") / "key.json"
        servers.run(
            "keys", "create", "backend", "--role", "admin", "--project", project, "--out", file,
            "--origin", production.url, "--data", production.data,
        )
        return tools.hmac_key(production, project, {"Authorization": f"Bearer {production.administrator_key}"})
    return make


@pytest.fixture(scope="module")
def key(owned):
    return owned(servers.PROJECT)


@pytest.fixture(params=["development", "production"])
def s3(request):
    if request.param == "production":
        return connect(request.getfixturevalue("production"), request.getfixturevalue("key"))
    server, project = request.getfixturevalue("server"), request.getfixturevalue("project")
    return connect(server, tools.hmac_key(server, project))


@pytest.fixture
def bucket(s3, project):
    s3.create_bucket(Bucket=project)
    return project


def refusal(call, *arguments, **options):
    with pytest.raises(botocore.exceptions.ClientError) as failure:
        call(*arguments, **options)
    answer = failure.value.response
    return answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"]


def test_amazons_client(s3, bucket):
    assert bucket in [one["Name"] for one in s3.list_buckets()["Buckets"]]
    name = "a folder/ä+b%c=d&.txt"
    s3.put_object(Bucket=bucket, Key=name, Body=b"hello", ContentType="text/plain", Metadata={"album": "a  b"})
    found = s3.get_object(Bucket=bucket, Key=name, ResponseContentType="text/x; a=b", ResponseContentDisposition='x; f="é"')
    assert found["Body"].read() == b"hello" and found["Metadata"] == {"album": "a  b"}
    assert found["ContentType"] == "text/x; a=b"
    assert s3.head_object(Bucket=bucket, Key=name)["ContentLength"] == 5
    listed = s3.list_objects_v2(Bucket=bucket, Prefix="a folder/", MaxKeys=10, Delimiter="/")
    assert [one["Key"] for one in listed["Contents"]] == [name]
    assert s3.get_bucket_location(Bucket=bucket)["ResponseMetadata"]["HTTPStatusCode"] == 200
    s3.copy_object(Bucket=bucket, Key="copy", CopySource={"Bucket": bucket, "Key": name})
    [version] = s3.list_object_versions(Bucket=bucket, Prefix="copy")["Versions"]
    assert s3.get_object(Bucket=bucket, Key="copy", VersionId=version["VersionId"])["Body"].read() == b"hello"
    assert {one["Key"] for one in s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": name}, {"Key": "copy"}]})["Deleted"]} == {name, "copy"}
    assert refusal(s3.get_object, Bucket=bucket, Key=name) == ("NoSuchKey", 404)
    s3.delete_bucket(Bucket=bucket)
    assert refusal(s3.list_objects_v2, Bucket=f"{bucket}-none")[1] == 404


def test_parts_and_streams(s3, bucket, tmp_path):
    file = tmp_path / "large"
    file.write_bytes(bytes(range(256)) * (LARGE // 256))
    s3.upload_file(str(file), bucket, "large", Config=TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20))
    s3.download_file(bucket, "large", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == file.read_bytes()
    begun = s3.create_multipart_upload(Bucket=bucket, Key="other")
    assert [one["Key"] for one in s3.list_multipart_uploads(Bucket=bucket)["Uploads"]] == ["other"]
    s3.abort_multipart_upload(Bucket=bucket, Key="other", UploadId=begun["UploadId"])


def test_urls_and_forms(s3, bucket):
    verify = s3._endpoint.http_session._verify
    url = s3.generate_presigned_url("put_object", {"Bucket": bucket, "Key": "a b", "ContentType": "text/plain"}, 600)
    assert "AWSAccessKeyId=" in url
    assert requests.put(url, b"x", headers={"Content-Type": "text/plain"}, verify=verify, timeout=30).status_code == 200
    assert requests.put(url, b"x", headers={"Content-Type": "text/html"}, verify=verify, timeout=30).status_code == 403
    url = s3.generate_presigned_url("get_object", {"Bucket": bucket, "Key": "a b", "ResponseContentType": "text/x"}, 600)
    found = requests.get(url, verify=verify, timeout=30)
    assert found.content == b"x" and found.headers["Content-Type"] == "text/x"
    assert requests.get(url.replace("text%2Fx", "text%2Fy"), verify=verify, timeout=30).status_code == 403
    assert requests.delete(url, verify=verify, timeout=30).status_code == 403
    expired = s3.generate_presigned_url("get_object", {"Bucket": bucket, "Key": "a b"}, -10)
    assert requests.get(expired, verify=verify, timeout=30).status_code == 400
    form = s3.generate_presigned_post(bucket, "form", Conditions=[["content-length-range", 1, 10]])
    assert "AWSAccessKeyId" in form["fields"]
    for content, status in ((b"hello", 204), (b"far too long", 400)):
        posted = requests.post(form["url"], form["fields"], files={"file": content}, verify=verify, timeout=30)
        assert posted.status_code == status, posted.text
    form["fields"]["signature"] = base64.b64encode(b"x" * 20).decode()
    assert requests.post(form["url"], form["fields"], files={"file": b"hello"}, verify=verify, timeout=30).status_code == 403
    assert s3.get_object(Bucket=bucket, Key="form")["Body"].read() == b"hello"


def test_s3cmd(server, project, tmp_path):
    s3cmd = tools.s3cmd(server, tools.hmac_key(server, project), tmp_path)
    s3cmd.command.append("--signature-v2")
    folder = tools.write_tree(tmp_path / "here", {"a.txt": b"hello", "empty": b"", "below/ä b+%&.bin": b"x" * 70_000, "large": b"y" * LARGE})
    root = f"s3://{project}-data"
    s3cmd("mb", root)
    assert s3cmd("ls").split()[-1] == root
    s3cmd("--multipart-chunk-size-mb=5", "sync", f"{folder}/", f"{root}/tree/")
    names = {line.split(maxsplit=3)[3] for line in s3cmd("ls", "--recursive", root).splitlines()}
    assert names == {f"{root}/tree/{name}" for name in tools.tree(folder)}
    s3cmd("cp", f"{root}/tree/a.txt", f"{root}/copy")
    s3cmd("mv", f"{root}/copy", f"{root}/moved")
    (tmp_path / "back").mkdir()
    s3cmd("sync", f"{root}/tree/", f"{tmp_path}/back/")
    assert tools.tree(tmp_path / "back") == tools.tree(folder)
    assert f"{root}/ (bucket)" in s3cmd("info", root)
    url = s3cmd("signurl", f"{root}/moved", "+600").strip()
    assert requests.get(url, timeout=30).content == b"hello"
    s3cmd("del", "--recursive", "--force", f"{root}/")
    s3cmd("rb", root)


def signed(method, path, key, *, scheme="GOOG1", resource=None, headers=None, date=None):
    """The headers of a request that is signed as Google's documents say, by none of its code or ours."""
    date = date or email.utils.formatdate(usegmt=True)
    headers = {"Date": date, **(headers or {})}
    lower = {name.lower(): value for name, value in headers.items()}
    own = "".join(f"{name}:{lower[name]}\n" for name in sorted(lower) if name.startswith(("x-goog-", "x-amz-")))
    line = "" if "x-goog-date" in lower or "x-amz-date" in lower else date
    text = f"{method}\n{lower.get('content-md5', '')}\n{lower.get('content-type', '')}\n{line}\n{own}{resource or path}"
    signature = base64.b64encode(hmac.new(key[1].encode(), text.encode(), hashlib.sha1).digest()).decode()
    return {**headers, "Authorization": f"{scheme} {key[0]}:{signature}"}


@pytest.fixture
def send(production):
    def send(method, path, headers, body=None):
        return requests.request(method, production.url + path, headers=headers, data=body, verify=production.authority, timeout=30)
    return send


def code(answer):
    return answer.status_code, xml.fromstring(answer.content).find("Code").text


def test_googles_form(send, key, production, project):
    path = f"/{project}/a.txt"
    headers = {"x-goog-meta-album": "1", "Content-Type": "text/plain"}
    assert send("PUT", f"/{project}", signed("PUT", f"/{project}", key)).status_code == 200
    stored = send("PUT", path, signed("PUT", path, key, headers=headers), b"hello")
    assert stored.status_code == 200
    found = send("GET", path, signed("GET", path, key))
    assert found.content == b"hello" and found.headers["x-goog-meta-album"] == "1"
    assert send("GET", path, signed("GET", path, key, scheme="AWS")).content == b"hello"
    dated = {"x-goog-date": email.utils.formatdate(usegmt=True)}
    assert send("GET", path, signed("GET", path, key, headers=dated)).status_code == 200
    # What boto sends to delete a generation, which Google's form does not sign.
    generation = stored.headers["x-goog-generation"]
    assert send("DELETE", f"{path}?generation={generation}", signed("DELETE", path, key)).status_code == 204


def test_who_has_not_signed_it_is_refused(send, key, owned, project):
    path = f"/{project}/a"
    assert send("PUT", f"/{project}", signed("PUT", f"/{project}", key)).status_code == 200
    assert send("PUT", path, signed("PUT", path, key), b"hello").status_code == 200
    mismatch = (403, "SignatureDoesNotMatch")
    now = datetime.datetime.now(datetime.timezone.utc)
    for headers in (
        signed("GET", path, (key[0], "x" * 40)), signed("GET", path, ("GOOG1EUNKNOWN", key[1])), signed("PUT", path, key),
        signed("GET", f"/{project}/b", key), signed("GET", path, key) | {"x-goog-meta-a": "1"},
        signed("GET", path, key) | {"Date": email.utils.format_datetime(now + datetime.timedelta(seconds=5), usegmt=True)},
    ):
        assert code(send("GET", path, headers)) == mismatch
    for method in ("DELETE", "POST"):
        assert code(send(method, f"{path}?other=1", signed(method, path, key))) == mismatch
    assert code(send("PUT", f"{path}?uploadId=1&partNumber=1", signed("PUT", path, key))) == mismatch
    for minutes, expected in ((-16, (400, "ExpiredToken")), (16, (403, "AccessDenied")), (-14, None), (14, None)):
        date = email.utils.format_datetime(now + datetime.timedelta(minutes=minutes), usegmt=True)
        answer = send("GET", path, signed("GET", path, key, date=date))
        assert answer.content == b"hello" if expected is None else code(answer) == expected
    assert send("GET", path, {"Authorization": f"AWS {key[0]}"}).status_code == 400
    # A key of another project reaches neither the bucket nor its source of a copy.
    other = owned(f"{servers.PROJECT}-two")
    assert code(send("GET", path, signed("GET", path, other))) == (403, "AccessDenied")
    assert code(send("DELETE", path, signed("DELETE", path, other))) == (403, "AccessDenied")


def test_a_key_that_ended_signs_nothing(send, owned, production, administrator):
    project = f"{servers.PROJECT}-three"
    key = owned(project)
    path = f"/{project}.appspot.com/a"
    assert send("PUT", path, signed("PUT", path, key), b"hello").status_code == 200
    url = f"/storage/v1/projects/{project}/hmacKeys/{key[0]}"
    ended = requests.put(production.url + url, json={"state": "INACTIVE"}, headers=administrator, verify=production.authority, timeout=30)
    assert ended.status_code == 200
    assert code(send("GET", path, signed("GET", path, key))) == (403, "SignatureDoesNotMatch")
