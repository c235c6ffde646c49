"""Amazon's client for Python, which we did not write, at the XML API: what it may ask for, and what is refused by name."""

import base64
import hashlib
import os

import boto3
import botocore.exceptions
import pytest
import requests
from botocore.config import Config
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage

from support import firebase_storage as firebase, secrets

pytestmark = pytest.mark.brasa_only


@pytest.fixture
def bucket(project):
    return f"{project}.appspot.com"


@pytest.fixture
def google(server, project, monkeypatch):
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", server.url)
    return storage.Client(project=project, credentials=AnonymousCredentials())


@pytest.fixture
def s3(server, project, google):
    metadata, secret = google.create_hmac_key(service_account_email=f"backend@{project}.iam.brasa")
    secrets.note(secret, "an HMAC key")
    return boto3.client(
        "s3", endpoint_url=server.url, region_name="auto", aws_access_key_id=metadata.access_id, aws_secret_access_key=secret,
        config=Config(
            s3={"addressing_style": "path"}, signature_version="s3v4", request_checksum_calculation="when_required",
            response_checksum_validation="when_required", retries={"max_attempts": 1},
        ),
    )


def refused(call, *arguments, **options):
    """The code, the status and the text of an error."""
    with pytest.raises(botocore.exceptions.ClientError) as failure:
        call(*arguments, **options)
    answer = failure.value.response
    return answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"].get("Details", "")


def test_subresources_are_no_objects(s3, bucket, server):
    s3.put_object(Bucket=bucket, Key="a", Body=b"object")
    one = {"Bucket": bucket, "Key": "a"}
    for name, call, options in (
        ("tagging", s3.put_object_tagging, {"Tagging": {"TagSet": [{"Key": "a", "Value": "b"}]}}),
        ("tagging", s3.get_object_tagging, {}), ("tagging", s3.delete_object_tagging, {}),
        ("acl", s3.put_object_acl, {"ACL": "private"}), ("acl", s3.get_object_acl, {}),
        ("retention", s3.get_object_retention, {}), ("legal-hold", s3.get_object_legal_hold, {}),
        ("attributes", s3.get_object_attributes, {"ObjectAttributes": ["ETag"]}),
        ("torrent", s3.get_object_torrent, {}), ("partNumber", s3.get_object, {"PartNumber": 1}),
        ("restore", s3.restore_object, {"RestoreRequest": {"Days": 1}}),
    ):
        assert refused(call, **one, **options) == ("NotImplemented", 501, name), call
    for name, call in (("acl", s3.get_bucket_acl), ("analytics", s3.list_bucket_analytics_configurations)):
        assert refused(call, Bucket=bucket) == ("NotImplemented", 501, name)
    for method, query in (("PUT", "acl"), ("PUT", "cors"), ("DELETE", "acl"), ("POST", "select"), ("GET", "a=b")):
        answer = requests.request(method, f"{server.url}/{bucket}/a?{query}", data=b"x", timeout=30)
        assert answer.status_code == 501 and query.split("=")[0] in answer.text, (method, query)
    assert refused(s3.put_object, Body=b"x", Tagging="a=b", **one) == ("NotImplemented", 501, "x-amz-tagging")
    assert s3.get_object(**one)["Body"].read() == b"object"


def test_versions_are_generations(s3, bucket, google):
    kept = google.bucket(bucket)
    kept.versioning_enabled = True
    kept.patch()
    for text in (b"old", b"new"):
        s3.put_object(Bucket=bucket, Key="a", Body=text)
    versions = {blob.download_as_bytes(): str(blob.generation) for blob in kept.list_blobs(versions=True)}
    one = {"Bucket": bucket, "Key": "a"}
    assert s3.get_object(VersionId=versions[b"old"], **one)["Body"].read() == b"old"
    s3.copy_object(Bucket=bucket, Key="b", CopySource={**one, "VersionId": versions[b"old"]})
    assert s3.get_object(Bucket=bucket, Key="b")["Body"].read() == b"old"
    s3.delete_object(VersionId=versions[b"old"], **one)
    assert s3.get_object(**one)["Body"].read() == b"new"
    assert refused(s3.get_object, VersionId=versions[b"old"], **one)[:2] == ("NoSuchKey", 404)
    assert refused(s3.get_object, VersionId="null", **one)[1] == 400
    assert refused(s3.delete_object, VersionId="x", **one)[1] == 400
    assert s3.get_object(**one)["Body"].read() == b"new"


def test_parts_are_copied_of_objects(s3, bucket):
    content = os.urandom(300_000)
    s3.put_object(Bucket=bucket, Key="a b?", Body=content)
    source = {"Bucket": bucket, "Key": "a b?"}
    begun = s3.create_multipart_upload(Bucket=bucket, Key="whole")["UploadId"]
    upload = {"Bucket": bucket, "Key": "whole", "UploadId": begun}
    tags = [
        s3.upload_part_copy(PartNumber=1, CopySource=source, **upload)["CopyPartResult"]["ETag"],
        s3.upload_part_copy(PartNumber=2, CopySource=source, CopySourceRange="bytes=10-19", **upload)["CopyPartResult"]["ETag"],
        s3.upload_part(PartNumber=3, Body=b"end", **upload)["ETag"],
    ]
    for wrong in ("bytes=0-300000", "bytes=5-4", "bytes=-5", "10-19"):
        assert refused(s3.upload_part_copy, PartNumber=4, CopySource=source, CopySourceRange=wrong, **upload)[1] == 400, wrong
    assert refused(s3.upload_part_copy, PartNumber=4, CopySource={**source, "Key": "none"}, **upload)[1] == 404
    assert refused(s3.upload_part_copy, PartNumber=4, CopySource=source, CopySourceIfMatch='"x"', **upload)[1] == 412
    parts = [{"PartNumber": number + 1, "ETag": tag} for number, tag in enumerate(tags)]
    s3.complete_multipart_upload(MultipartUpload={"Parts": parts}, **upload)
    assert s3.get_object(Bucket=bucket, Key="whole")["Body"].read() == content + content[10:20] + b"end"


def test_own_metadata_comes_back(s3, bucket, server, google):
    s3.put_object(Bucket=bucket, Key="a", Body=b"x", Metadata={"album": "1", "place": "here"})
    # A client of Firebase gives it a token, which is nobody's to read here.
    assert firebase.Storage(server, bucket, "owner").metadata("a").json()["downloadTokens"]
    for found in (s3.head_object(Bucket=bucket, Key="a"), s3.get_object(Bucket=bucket, Key="a")):
        assert found["Metadata"] == {"album": "1", "place": "here"}
    url = f"{server.url}/{bucket}/a"
    signed = s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "a"})
    answers = [requests.get(url, timeout=30)] + [requests.get(signed, timeout=30) for _ in range(3)]
    for answer, prefix in zip(answers, ("x-goog-meta-", *["x-amz-meta-"] * 3)):
        own = {name.lower(): value for name, value in answer.headers.items() if "-meta-" in name.lower()}
        assert own == {f"{prefix}album": "1", f"{prefix}place": "here"}
    assert requests.head(url, timeout=30).headers["x-goog-meta-album"] == "1"
    names = requests.get(f"{server.url}/storage/v1/b/{bucket}/o/a?alt=media", timeout=30).headers
    assert not [name for name in names if "-meta-" in name.lower()]


def test_preconditions_by_tags(s3, bucket, server):
    one = {"Bucket": bucket, "Key": "a"}
    failed = ("PreconditionFailed", 412)
    assert refused(s3.put_object, Body=b"1", IfMatch="*", **one)[:2] == failed
    tag = s3.put_object(Body=b"1", IfNoneMatch="*", **one)["ETag"]
    assert refused(s3.put_object, Body=b"2", IfNoneMatch="*", **one)[:2] == failed
    assert refused(s3.put_object, Body=b"2", IfMatch='"x"', **one)[:2] == failed
    new = s3.put_object(Body=b"2", IfMatch=tag, **one)["ETag"]
    assert new != tag
    copy = {"Bucket": bucket, "Key": "b", "CopySource": one}
    assert refused(s3.copy_object, CopySourceIfMatch=tag, **copy)[:2] == failed
    assert refused(s3.copy_object, CopySourceIfNoneMatch=new, **copy)[:2] == failed
    assert refused(s3.copy_object, CopySourceIfModifiedSince=0, **copy)[:2] == ("NotImplemented", 501)
    s3.copy_object(CopySourceIfMatch=new, CopySourceIfNoneMatch=tag, **copy)
    url = f"{server.url}/{bucket}/a"
    for name in ("If-Modified-Since", "If-Unmodified-Since"):
        for method in ("PUT", "DELETE"):
            answer = requests.request(method, url, headers={name: "Sat, 01 Jan 2000 00:00:00 GMT"}, data=b"x", timeout=30)
            assert answer.status_code == 501 and name.lower() in answer.text
    assert requests.delete(url, headers={"If-Match": tag}, timeout=30).status_code == 412
    begun = s3.create_multipart_upload(**one)["UploadId"]
    part = s3.upload_part(PartNumber=1, Body=b"3", UploadId=begun, **one)["ETag"]
    whole = {"UploadId": begun, "MultipartUpload": {"Parts": [{"PartNumber": 1, "ETag": part}]}}
    assert refused(s3.complete_multipart_upload, IfNoneMatch="*", **one, **whole)[:2] == failed
    assert s3.get_object(**one)["Body"].read() == b"2"
    assert requests.delete(url, headers={"If-Match": new}, timeout=30).status_code == 204


def test_lists_as_clients_of_s3_read_them(s3, bucket, server):
    names = ["AWFhYWFhYWFhYWE=", "a/1 +%", "a/2&<é>", "b\x01"]
    for name in names:
        s3.put_object(Bucket=bucket, Key=name, Body=b"x")
    for call in ("list_objects", "list_objects_v2"):
        pages = list(s3.get_paginator(call).paginate(Bucket=bucket, PaginationConfig={"PageSize": 1}))
        assert [item["Key"] for page in pages for item in page["Contents"]] == names, call
        pages = list(s3.get_paginator(call).paginate(Bucket=bucket, Delimiter="/", PaginationConfig={"PageSize": 1}))
        found = [item["Key"] for page in pages for item in page.get("Contents", [])]
        folders = [item["Prefix"] for page in pages for item in page.get("CommonPrefixes", [])]
        assert (found, folders) == ([names[0], names[3]], ["a/"]), call
    # A name that might be a token of ours is a name.
    assert [item["Key"] for item in s3.list_objects(Bucket=bucket, Marker=names[0])["Contents"]] == names[1:]
    for listed in (s3.list_objects(Bucket=bucket, MaxKeys=0), s3.list_objects_v2(Bucket=bucket, MaxKeys=0)):
        assert "Contents" not in listed and not listed["IsTruncated"] and listed["MaxKeys"] == 0
    text = requests.get(f"{server.url}/{bucket}?encoding-type=url&prefix=a/", timeout=30).text
    assert "<EncodingType>url</EncodingType>" in text and "%20%2B%25" in text
    assert requests.get(f"{server.url}/{bucket}?encoding-type=x", timeout=30).status_code == 400
    begun = s3.create_multipart_upload(Bucket=bucket, Key=names[1])["UploadId"]
    assert [(item["Key"], item["UploadId"]) for item in s3.list_multipart_uploads(Bucket=bucket)["Uploads"]] == [
        (names[1], begun)
    ]


def test_a_part_whose_hash_is_another_is_not_stored(s3, bucket, server):
    begun = s3.create_multipart_upload(Bucket=bucket, Key="a")["UploadId"]
    url = f"{server.url}/{bucket}/a?partNumber=1&uploadId={begun}"
    wrong = "A" * 22 + "=="
    for headers in ({"Content-MD5": wrong}, {"x-goog-hash": "crc32c=AAAAAA=="}, {"x-goog-hash": f"md5={wrong}"}):
        refused = requests.put(url, b"part", headers=headers, timeout=30)
        assert refused.status_code == 400 and "<Code>BadDigest</Code>" in refused.text, (headers, refused.text)
    assert "Parts" not in s3.list_parts(Bucket=bucket, Key="a", UploadId=begun)
    assert requests.put(url, b"part", headers={"x-goog-content-sha256": "0" * 64}, timeout=30).status_code == 400
    assert "Parts" not in s3.list_parts(Bucket=bucket, Key="a", UploadId=begun)
    assert requests.put(url, b"part", timeout=30).status_code == 200


def test_an_object_whose_hash_is_another_is_a_bad_digest(s3, bucket, server):
    right, other = (base64.b64encode(hashlib.md5(text).digest()).decode() for text in (b"object", b"other"))
    assert refused(s3.put_object, Bucket=bucket, Key="a", Body=b"object", ContentMD5=other)[:2] == ("BadDigest", 400)
    assert refused(s3.put_object, Bucket=bucket, Key="a", Body=b"object", ContentMD5="bm8=")[:2] == ("InvalidDigest", 400)
    answer = requests.put(f"{server.url}/{bucket}/a", b"object", headers={"x-goog-hash": "crc32c=AAAAAA=="}, timeout=30)
    assert answer.status_code == 400 and "<Code>BadDigest</Code>" in answer.text
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)
    s3.put_object(Bucket=bucket, Key="a", Body=b"object", ContentMD5=right)


def test_the_bucket_of_parts_is_nobodys(s3, bucket, server, google):
    name = "brasa-multipart-uploads"
    made = requests.post(f"{server.url}/storage/v1/b?project={google.project}", json={"name": name}, timeout=30)
    assert made.status_code == 409
    begun = s3.create_multipart_upload(Bucket=bucket, Key="a")["UploadId"]
    assert begun
    s3.abort_multipart_upload(Bucket=bucket, Key="a", UploadId=begun)
