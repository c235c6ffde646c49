"""Paths that look like a bucket's: what is no service's makes none, nor does any request that only reads."""

import xml.etree.ElementTree as xml

import pytest
import requests

from support import server as servers

pytestmark = pytest.mark.brasa_only

OWNER = {"Authorization": "Bearer owner"}
OF_NO_SERVICE = [
    "/demo/us-central1/hello", "/.json?ns=demo", "/v1beta/models/x", "/compute/v1/projects/p/zones", "/favicon.ico", "/admin",
    "/admin/", "/robots.txt", "/some-bucket", "/some-bucket/", "/some-bucket/a/b",
]
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
        if method == "GET" and path in OF_NO_SERVICE:
            assert answer.status_code == 404 and xml.fromstring(answer.content).find("Code").text == "NoSuchBucket"
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
