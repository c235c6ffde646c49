"""Amazon's client for Python with its default settings, which sends checksums, in development and over TLS."""

import hashlib
import io
import os

import boto3
import botocore.exceptions
import pytest
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

from support import server as servers, storage_tools as tools

pytestmark = pytest.mark.brasa_only


def connect(server, key):
    return boto3.client(
        "s3", endpoint_url=server.url, region_name="us-east-1", aws_access_key_id=key[0], aws_secret_access_key=key[1],
        verify=server.authority, config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 1}),
    )


@pytest.fixture(scope="module")
def secure(production, tmp_path_factory):
    """A client over TLS, whose bodies are in chunks with trailing checksums."""
    file = tmp_path_factory.mktemp("keys") / "boto.json"
    servers.run(
        "keys", "create", "backend", "--role", "admin", "--project", servers.PROJECT, "--out", file,
        "--origin", production.url, "--data", production.data,
    )
    headers = {"Authorization": f"Bearer {production.administrator_key}"}
    return connect(production, tools.hmac_key(production, servers.PROJECT, headers))


@pytest.fixture
def plain(server, project):
    return connect(server, tools.hmac_key(server, project))


@pytest.fixture(params=["plain", "secure"])
def s3(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def bucket(s3, project):
    s3.create_bucket(Bucket=project)
    return project


def refused(call, *arguments, **options):
    with pytest.raises(botocore.exceptions.ClientError) as failure:
        call(*arguments, **options)
    answer = failure.value.response
    return answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"]


def test_objects(s3, bucket):
    one = {"Bucket": bucket, "Key": "a b/ç.txt"}
    stored = s3.put_object(Body=b"hello", Metadata={"a": "1"}, **one)
    assert stored["ETag"] == f'"{hashlib.md5(b"hello").hexdigest()}"' and stored["ChecksumCRC32"] == "NhCmhg=="
    found = s3.get_object(**one)
    assert found["Body"].read() == b"hello" and found["Metadata"] == {"a": "1"} and found["ETag"] == stored["ETag"]
    assert "ContentEncoding" not in found and found["ChecksumCRC32C"] == "mnG7TA=="
    assert s3.head_object(**one)["ContentLength"] == 5
    copy = s3.copy_object(Bucket=bucket, Key="copy", CopySource=one)["CopyObjectResult"]
    assert copy["ETag"] == stored["ETag"]
    assert [item["Key"] for item in s3.list_objects_v2(Bucket=bucket)["Contents"]] == ["a b/ç.txt", "copy"]
    s3.delete_object(**one)
    s3.delete_object(**one)
    assert refused(s3.get_object, **one) == ("NoSuchKey", 404)
    assert refused(s3.get_object, Bucket=bucket, Key="copy", Range="bytes=5-9") == ("InvalidRange", 416)
    assert refused(s3.get_object, Bucket=bucket, Key="copy", IfMatch='"x"') == ("PreconditionFailed", 412)


def test_transfers_in_parts(s3, bucket):
    content = os.urandom(12 << 20)
    settings = TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20)
    s3.upload_fileobj(io.BytesIO(content), bucket, "large", Config=settings)
    parts = [content[start:start + (5 << 20)] for start in range(0, len(content), 5 << 20)]
    joined = hashlib.md5(b"".join(hashlib.md5(part).digest() for part in parts)).hexdigest()
    assert s3.head_object(Bucket=bucket, Key="large")["ETag"] == f'"{joined}-3"'
    back = io.BytesIO()
    s3.download_fileobj(bucket, "large", back, Config=settings)
    assert back.getvalue() == content
    # A copy shares the bytes and the tag.
    s3.copy_object(Bucket=bucket, Key="copy", CopySource={"Bucket": bucket, "Key": "large"})
    assert s3.head_object(Bucket=bucket, Key="copy")["ETag"] == f'"{joined}-3"'


def test_parts_with_wrong_checksums_become_no_object(s3, bucket):
    one = {"Bucket": bucket, "Key": "a"}
    begun = s3.create_multipart_upload(ChecksumAlgorithm="SHA256", **one)["UploadId"]
    part = s3.upload_part(PartNumber=1, Body=b"part", UploadId=begun, ChecksumAlgorithm="SHA256", **one)
    right = {"PartNumber": 1, "ETag": part["ETag"], "ChecksumSHA256": part["ChecksumSHA256"]}
    other = s3.put_object(Body=b"x", ChecksumAlgorithm="SHA256", Bucket=bucket, Key="x")["ChecksumSHA256"]

    def complete(part, **more):
        return s3.complete_multipart_upload(UploadId=begun, MultipartUpload={"Parts": [part]}, **one, **more)

    assert refused(complete, {**right, "ChecksumSHA256": other}) == ("InvalidPart", 400)
    assert refused(complete, right, ChecksumSHA256=other) == ("BadDigest", 400)
    assert refused(complete, right, ChecksumSHA256=f"{other}-1") == ("BadDigest", 400)
    assert refused(complete, right, MpuObjectSize=5) == ("InvalidRequest", 400)
    assert refused(s3.get_object, **one) == ("NoSuchKey", 404)
    complete(right, ChecksumSHA256=part["ChecksumSHA256"], ChecksumType="FULL_OBJECT")
    assert s3.get_object(**one)["Body"].read() == b"part"


def test_many_are_deleted_at_once(s3, bucket):
    names = [f"n{number:03}" for number in range(40)] + ["ä&<b>", " "]
    for name in names:
        s3.put_object(Bucket=bucket, Key=name, Body=b"")
    tag = s3.head_object(Bucket=bucket, Key="n000")["ETag"]
    wanted = [{"Key": "n000", "ETag": '"other"'}, {"Key": "n001", "VersionId": "x"}, {"Key": "none"}]
    wanted += [{"Key": name} for name in names[2:]]
    outcome = s3.delete_objects(Bucket=bucket, Delete={"Objects": wanted})
    assert [item["Key"] for item in outcome["Deleted"]] == ["none", *names[2:]]
    assert {item["Key"]: item["Code"] for item in outcome["Errors"]} == {"n000": "PreconditionFailed", "n001": "NoSuchVersion"}
    quiet = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "n000", "ETag": tag}], "Quiet": True})
    assert "Deleted" not in quiet and "Errors" not in quiet
    assert [item["Key"] for item in s3.list_objects(Bucket=bucket)["Contents"]] == ["n001"]
    too_many = [{"Key": str(number)} for number in range(1_001)]
    assert refused(s3.delete_objects, Bucket=bucket, Delete={"Objects": too_many}) == ("MalformedXML", 400)


def test_buckets(s3, bucket):
    assert bucket in [item["Name"] for item in s3.list_buckets()["Buckets"]]
    assert [item["Name"] for item in s3.list_buckets(Prefix=bucket, MaxBuckets=1)["Buckets"]] == [bucket]
    assert s3.head_bucket(Bucket=bucket)["BucketRegion"] == "US"
    assert refused(s3.create_bucket, Bucket=bucket) == ("BucketAlreadyOwnedByYou", 409)
    assert refused(s3.create_bucket, Bucket=f"{bucket}-2", ACL="public-read")[1] == 400
    assert refused(s3.create_bucket, Bucket=f"{bucket}-2", ObjectLockEnabledForBucket=True)[1] == 501
    assert refused(s3.head_bucket, Bucket=f"{bucket}-2") == ("404", 404)
    s3.create_bucket(Bucket=f"{bucket}-2", ACL="private", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    assert s3.get_bucket_location(Bucket=f"{bucket}-2")["LocationConstraint"] == "eu-west-1"
    s3.put_object(Bucket=bucket, Key="a", Body=b"")
    assert refused(s3.delete_bucket, Bucket=bucket) == ("BucketNotEmpty", 409)
    s3.delete_object(Bucket=bucket, Key="a")
    for name in (bucket, f"{bucket}-2"):
        s3.delete_bucket(Bucket=name)
        assert refused(s3.delete_bucket, Bucket=name) == ("NoSuchBucket", 404)


def test_what_is_set_of_a_bucket(s3, bucket):
    one = {"Bucket": bucket}
    assert "Status" not in s3.get_bucket_versioning(**one)
    for status in ("Enabled", "Suspended"):
        s3.put_bucket_versioning(VersioningConfiguration={"Status": status}, **one)
        assert s3.get_bucket_versioning(**one).get("Status") == ("Enabled" if status == "Enabled" else None)
    assert refused(s3.get_bucket_cors, **one) == ("NoSuchCORSConfiguration", 404)
    rule = {
        "AllowedOrigins": ["https://a.example"], "AllowedMethods": ["GET", "PUT"], "AllowedHeaders": ["x-amz-*"],
        "ExposeHeaders": ["ETag"], "MaxAgeSeconds": 60,
    }
    s3.put_bucket_cors(CORSConfiguration={"CORSRules": [rule]}, **one)
    shown = s3.get_bucket_cors(**one)["CORSRules"][0]
    assert (shown["AllowedOrigins"], shown["AllowedMethods"], shown["MaxAgeSeconds"]) == (["https://a.example"], ["GET", "PUT"], 60)
    assert set(shown["AllowedHeaders"]) == set(shown["ExposeHeaders"]) == {"ETag", "x-amz-*"}
    wild = {**rule, "AllowedOrigins": ["https://*.example"]}
    assert refused(s3.put_bucket_cors, CORSConfiguration={"CORSRules": [wild]}, **one)[1] == 501
    s3.delete_bucket_cors(**one)
    assert refused(s3.get_bucket_cors, **one) == ("NoSuchCORSConfiguration", 404)
    for call, code in (
        (s3.get_bucket_lifecycle_configuration, "NoSuchLifecycleConfiguration"), (s3.get_bucket_policy, "NoSuchBucketPolicy"),
        (s3.get_bucket_tagging, "NoSuchTagSet"), (s3.get_bucket_website, "NoSuchWebsiteConfiguration"),
        (s3.get_bucket_encryption, "ServerSideEncryptionConfigurationNotFoundError"),
        (s3.get_bucket_replication, "ReplicationConfigurationNotFoundError"),
        (s3.get_object_lock_configuration, "ObjectLockConfigurationNotFoundError"),
        (s3.get_public_access_block, "NoSuchPublicAccessBlockConfiguration"),
    ):
        assert refused(call, **one) == (code, 404), call
    assert s3.get_bucket_policy_status(**one)["PolicyStatus"]["IsPublic"] is False
    assert s3.get_bucket_request_payment(**one)["Payer"] == "BucketOwner"
    owned = s3.get_bucket_ownership_controls(**one)["OwnershipControls"]
    assert owned["Rules"][0]["ObjectOwnership"] == "BucketOwnerEnforced"
    for call in (s3.get_bucket_acl, s3.get_bucket_logging, s3.get_bucket_accelerate_configuration):
        if call == s3.get_bucket_acl:
            assert refused(call, **one) == ("NotImplemented", 501)
        else:
            assert set(call(**one)) == {"ResponseMetadata"}


def test_lists_name_where_they_began(s3, bucket):
    for name in ("a", "b", "c"):
        s3.put_object(Bucket=bucket, Key=name, Body=b"x")
    second = s3.list_objects_v2(Bucket=bucket, StartAfter="a", MaxKeys=1, FetchOwner=True)
    assert (second["StartAfter"], second["KeyCount"], second["IsTruncated"]) == ("a", 1, True)
    assert second["Contents"][0]["StorageClass"] == "STANDARD" and second["Contents"][0]["Owner"]["ID"]
    last = s3.list_objects_v2(Bucket=bucket, ContinuationToken=second["NextContinuationToken"])
    assert last["ContinuationToken"] == second["NextContinuationToken"]
    assert [item["Key"] for item in last["Contents"]] == ["c"] and "Owner" not in last["Contents"][0]
    first = s3.list_objects(Bucket=bucket, Marker="a", MaxKeys=1)
    assert (first["Marker"], first["NextMarker"]) == ("a", "b") and first["Contents"][0]["Owner"]["ID"]


def test_versions(s3, bucket):
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    for name, text in (("a", b"1"), ("a", b"2"), ("b/c", b"3"), ("d", b"4"), ("a", b"5")):
        s3.put_object(Bucket=bucket, Key=name, Body=text)
    s3.delete_object(Bucket=bucket, Key="d")

    def shown(**options):
        pages = s3.get_paginator("list_object_versions").paginate(Bucket=bucket, **options)
        return [(item["Key"], item["VersionId"], item["IsLatest"]) for page in pages for item in page.get("Versions", [])]

    found = shown()
    assert [(name, latest) for name, _, latest in found] == [
        ("a", False), ("a", False), ("a", True), ("b/c", True), ("d", False)
    ]
    texts = [s3.get_object(Bucket=bucket, Key=name, VersionId=version)["Body"].read() for name, version, _ in found]
    assert texts == [b"1", b"2", b"5", b"3", b"4"]
    for size in (1, 2, 3):
        assert shown(PaginationConfig={"PageSize": size}) == found
    folded = s3.list_object_versions(Bucket=bucket, Delimiter="/", Prefix="b")
    assert [item["Prefix"] for item in folded["CommonPrefixes"]] == ["b/"] and "Versions" not in folded
    outcome = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": name, "VersionId": version} for name, version, _ in found]})
    assert len(outcome["Deleted"]) == len(found) and shown() == []
    s3.delete_bucket(Bucket=bucket)


def test_what_is_not_kept_is_refused_by_name(s3, bucket):
    for options, name in (
        ({"ServerSideEncryption": "AES256"}, "x-amz-server-side-encryption"),
        ({"WebsiteRedirectLocation": "/b"}, "x-amz-website-redirect-location"),
        ({"GrantRead": "uri=x"}, "x-amz-grant-read"), ({"WriteOffsetBytes": 0}, "x-amz-write-offset-bytes"),
    ):
        with pytest.raises(botocore.exceptions.ClientError) as failure:
            s3.put_object(Bucket=bucket, Key="a", Body=b"", **options)
        answer = failure.value.response
        assert answer["ResponseMetadata"]["HTTPStatusCode"] == 501 and answer["Error"]["Details"] == name
    assert refused(s3.put_object, Bucket=bucket, Key="a", Body=b"", ACL="public-read")[1] == 400
    assert refused(s3.put_object, Bucket=bucket, Key="a", Body=b"", StorageClass="GLACIER")[1] == 400
    s3.put_object(Bucket=bucket, Key="a", Body=b"", ACL="bucket-owner-full-control", StorageClass="STANDARD")
    assert [item["Key"] for item in s3.list_objects_v2(Bucket=bucket)["Contents"]] == ["a"]


def test_keys_of_one_project_make_and_list_its_buckets_alone(server, project):
    own = connect(server, tools.hmac_key(server, project))
    other = connect(server, tools.hmac_key(server, f"{project}-other"))
    own.create_bucket(Bucket=project)
    assert [item["Name"] for item in own.list_buckets()["Buckets"]] == [project]
    assert other.list_buckets().get("Buckets", []) == []
    assert refused(other.create_bucket, Bucket=project) == ("BucketAlreadyExists", 409)
    for name in ("brasa-multipart-uploads", f"{project}-other.appspot.com", f"{project}-other.firebasestorage.app"):
        assert refused(own.create_bucket, Bucket=name) == ("BucketAlreadyExists", 409), name
    other.create_bucket(Bucket=f"{project}-other.appspot.com")
    wrong = connect(server, (own._request_signer._credentials.access_key, "x" * 40))
    for call, options in ((wrong.list_buckets, {}), (wrong.create_bucket, {"Bucket": f"{project}-2"}), (wrong.delete_bucket, {"Bucket": project})):
        assert refused(call, **options) == ("SignatureDoesNotMatch", 403)
    assert [item["Name"] for item in own.list_buckets()["Buckets"]] == [project]
