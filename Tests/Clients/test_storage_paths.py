"""Paths that look like a bucket's: what is no service's makes none, nor does any request that only reads."""

import xml.etree.ElementTree as xml

import boto3
import botocore.config
import pytest
import requests

from support import server as servers, storage_tools

pytestmark = pytest.mark.brasa_only

OWNER = {"Authorization": "Bearer owner"}
OF_NO_SERVICE = ["/favicon.ico", "/admin", "/admin/", "/robots.txt", "/some-bucket", "/some-bucket/", "/some-bucket/a/b"]
ABSENT = {
    "/demo/us-central1/hello": "Cloud Functions",
    "/.json?ns=demo": "Realtime Database",
    "/users/1.json?ns=demo": "Realtime Database",
    "/v1beta/projects/p/locations/-/instances": "Realtime Database",
    "/v1beta/models/x": "Firebase AI Logic",
    "/compute/v1/projects/p/zones": "Compute Engine",
    "/retry_test": "storage testbench",
    "/retry_test/1f0e": "storage testbench",
}
OF_FILES = [
    "/some-bucket?uploads", "/some-bucket?location", "/some-bucket?versioning", "/some-bucket/?list-type=2", "/some-bucket?cors",
    "/storage/v1/b/some-bucket", "/storage/v1/b/some-bucket/o", "/storage/v1/b/some-bucket/o/a",
    "/storage/v1/b/some-bucket/o/a?alt=media", "/storage/v1/b/some-bucket/iam", "/storage/v1/b/some-bucket/storageLayout",
    "/storage/v1/b/some-bucket/iam/testPermissions?permissions=storage.objects.get",
    "/storage/v1/b/some-bucket/notificationConfigs", "/storage/v1/b/some-bucket/acl", "/storage/v1/b/some-bucket/folders",
    "/download/storage/v1/b/some-bucket/o/a?alt=media", "/b/some-bucket/o", "/v0/b/some-bucket/o", "/v0/b/some-bucket/o/a",
    "/v0/b/some-bucket/o/a?alt=media", "/v0/b/some-bucket/o/a?alt=media&token=x",
]


@pytest.fixture(scope="module")
def brasa(tmp_path_factory):
    made = servers.Brasa(tmp_path_factory.mktemp("paths") / "data", "--project", "shop").start()
    yield made
    made.kill()


def buckets(brasa):
    return [item["name"] for item in requests.get(f"{brasa.url}/storage/v1/b?project=shop", timeout=30).json().get("items", [])]


@pytest.mark.parametrize("path", OF_NO_SERVICE + OF_FILES)
def test_reading_and_deleting_make_no_bucket(brasa, path):
    for method in ("GET", "HEAD", "DELETE", "OPTIONS"):
        answer = requests.request(method, brasa.url + path, headers=OWNER, timeout=30)
        assert answer.status_code < 500 or answer.status_code == 501, (method, answer.text)
        if method == "GET" and path.strip("/") == "admin":
            # The first segment of a path that the Firebase CLI asks.
            assert answer.status_code == 404 and "Not Found" in answer.json()["error"]["message"]
        elif method == "GET" and path in OF_NO_SERVICE:
            assert answer.status_code == 404 and xml.fromstring(answer.content).find("Code").text == "NoSuchBucket"
    assert buckets(brasa) == []


def error(answer):
    """What a JSON 404 says."""
    assert answer.status_code == 404 and answer.headers["Content-Type"].startswith("application/json"), answer.text
    assert answer.json()["error"]["code"] == 404 and answer.json()["error"]["status"] == "NOT_FOUND"
    return answer.json()["error"]["message"]


@pytest.mark.parametrize("path, service", ABSENT.items())
def test_what_is_no_service_is_named(brasa, path, service):
    for method in ("GET", "POST", "PUT", "DELETE"):
        assert error(requests.request(method, brasa.url + path, json={}, timeout=30)) == f"Brasa has no {service}."
    assert requests.head(brasa.url + path, timeout=30).content == b""
    assert buckets(brasa) == []


@pytest.mark.parametrize("headers", [
    {"Accept": "application/json"},
    {"Accept": "application/json, text/plain, */*"},
    {"X-Goog-API-Client": "gl-python/3.12.3 gccl/2.19.0"},
    {"User-Agent": "google-cloud-sdk gcloud/528.0.0 command/gcloud.storage.ls"},
    {"User-Agent": "apitools Python/3.12.3 gsutil/5.33"},
])
@pytest.mark.parametrize("path", ["/b/none/x/y", "/admin", "/none/o/a", "/v1alpha/things"])
def test_clients_that_speak_json_get_json(brasa, path, headers):
    text = error(requests.get(brasa.url + path, headers=headers | OWNER, timeout=30))
    assert path in text and text.startswith(("Brasa has no service at", "GET /"))
    assert error(requests.post(brasa.url + path, json={}, headers=headers | OWNER, timeout=30))
    assert buckets(brasa) == []


@pytest.mark.parametrize("headers", [
    {"Authorization": "AWS GOOG1EABC:c2ln"}, {"x-amz-content-sha256": "UNSIGNED-PAYLOAD"}, {"amz-sdk-request": "attempt=1"},
    {"x-goog-project-id": "shop"}, {"x-goog-api-version": "2"},
])
def test_clients_of_the_xml_api_get_xml(brasa, headers):
    for path in ("/demo/us-central1/hello", "/none/a"):
        answer = requests.get(brasa.url + path, headers={"Accept": "application/json"} | headers, timeout=30)
        assert xml.fromstring(answer.content).tag == "Error", answer.text
    assert buckets(brasa) == []


def test_a_bucket_comes_before_a_service_of_its_path(brasa):
    assert requests.post(f"{brasa.url}/storage/v1/b?project=shop", json={"name": "compute"}, timeout=30).status_code == 200
    try:
        for path in ("/compute/v1/a", "/compute/us-central1/hello", "/shop.appspot.com/us-central1/hello"):
            assert requests.put(brasa.url + path, b"x", timeout=30).status_code == 200
            assert requests.get(brasa.url + path, timeout=30).content == b"x"
    finally:
        for name in ("compute", "shop.appspot.com"):
            for item in requests.get(f"{brasa.url}/storage/v1/b/{name}/o", timeout=30).json().get("items", []):
                requests.delete(f"{brasa.url}/{name}/{item['name']}", timeout=30)
            requests.delete(f"{brasa.url}/storage/v1/b/{name}", timeout=30)
    assert buckets(brasa) == []


@pytest.mark.parametrize("bucket", ["admin", "storage", "upload", "download", "metrics", "console", "v1beta1", "healthz"])
def test_signed_requests_reach_a_bucket_whose_name_begins_other_services_paths(brasa, bucket):
    """Also under the very path of another service: nothing else understands such a request."""
    made = requests.post(f"{brasa.url}/storage/v1/b?project=shop", json={"name": bucket}, headers=OWNER, timeout=30)
    assert made.status_code == 200, made.text
    access, secret = storage_tools.hmac_key(brasa, "shop")
    client = boto3.client(
        "s3", endpoint_url=brasa.url, aws_access_key_id=access, aws_secret_access_key=secret, region_name="auto",
        config=botocore.config.Config(s3={"addressing_style": "path"}),
    )
    names = ["v2/projects/shop/config", "v2/projects/123/config", "storage/v1/b", "a", "v1/b/shop/o"]
    try:
        for name in names:
            client.put_object(Bucket=bucket, Key=name, Body=name.encode())
            # The second reading may be from memory.
            for _ in range(2):
                assert client.get_object(Bucket=bucket, Key=name)["Body"].read() == name.encode()
            url = client.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": name})
            assert requests.get(url, timeout=30).content == name.encode()
            stored = requests.get(f"{brasa.url}/storage/v1/b/{bucket}/o/{name.replace('/', '%2F')}?alt=media", headers=OWNER, timeout=30)
            assert stored.content == name.encode()
        assert sorted(one["Key"] for one in client.list_objects_v2(Bucket=bucket)["Contents"]) == sorted(names)
        # Without a signature the paths are the services'.
        config = requests.get(f"{brasa.url}/admin/v2/projects/shop/config", headers=OWNER, timeout=30)
        assert config.status_code == 200 and "name" in config.json()
        assert requests.get(f"{brasa.url}/healthz", timeout=30).text.strip() == "ok"
    finally:
        for name in names:
            client.delete_object(Bucket=bucket, Key=name)
        client.delete_bucket(Bucket=bucket)
    assert bucket not in buckets(brasa)


def test_a_post_that_stores_nothing_and_a_put_for_something_else_make_no_bucket(brasa):
    assert requests.post(f"{brasa.url}/some-bucket/a", b"{}", timeout=30).status_code == 404
    assert requests.put(f"{brasa.url}/some-bucket/a?tagging", b"<x/>", timeout=30).status_code == 501
    assert buckets(brasa) == []


def test_a_copy_makes_no_source(brasa):
    for path in ("/storage/v1/b/some-bucket/o/a/copyTo/b/shop.appspot.com/o/b", "/storage/v1/b/some-bucket/o/a/rewriteTo/b/shop.appspot.com/o/b"):
        assert requests.post(brasa.url + path, json={}, timeout=30).status_code == 404
    headers = {"x-goog-copy-source": "/some-bucket/a"}
    assert requests.put(f"{brasa.url}/shop.appspot.com/b", headers=headers, timeout=30).status_code == 404
    assert "some-bucket" not in buckets(brasa)


def test_a_projects_default_bucket_is_there_by_its_name(brasa):
    url = f"{brasa.url}/other.appspot.com"
    listed = requests.get(url, timeout=30)
    assert listed.status_code == 200 and "<Contents>" not in listed.text
    assert xml.fromstring(requests.get(f"{url}/a", timeout=30).content).find("Code").text == "NoSuchKey"
    assert "items" not in requests.get(f"{brasa.url}/storage/v1/b?project=other", timeout=30).json()


@pytest.mark.parametrize("path", ["/written-1/a", "/written-2/a/"])
def test_writing_makes_the_bucket(brasa, path):
    assert requests.put(brasa.url + path, b"x", timeout=30).status_code == 200
    assert path.split("/")[1] in buckets(brasa)
    assert requests.get(brasa.url + path, timeout=30).content == b"x"


def test_the_root_says_that_the_server_is_there(brasa):
    """Whoever signs a request, or names a project, asks for buckets."""
    assert requests.get(brasa.url, timeout=30).text == "Ok\n"
    assert requests.get(brasa.url, headers=OWNER, timeout=30).text == "Ok\n"
    listed = requests.get(brasa.url, headers={"x-goog-project-id": "shop"}, timeout=30)
    assert xml.fromstring(listed.content).tag.endswith("ListAllMyBucketsResult")
    malformed = requests.get(brasa.url, headers={"Authorization": "AWS4-HMAC-SHA256 x"}, timeout=30)
    assert malformed.status_code == 400


def test_the_root_of_production_lists_for_administrators_alone(production):
    user = {"x-goog-project-id": servers.PROJECT}
    key = {"Authorization": f"Bearer {production.administrator_key}"}
    for headers, status in ((user, 403), ({**user, **OWNER}, 401), ({**user, **key}, 200)):
        assert requests.get(production.url, headers=headers, verify=production.authority, timeout=30).status_code == status
    assert requests.get(production.url, headers=key, verify=production.authority, timeout=30).text == "Ok\n"
