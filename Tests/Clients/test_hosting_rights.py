"""Administrators of one project, at the sites and apps of another: in production, by role."""

import gzip
import hashlib

import pytest

from support import administrators, server as servers

pytestmark = pytest.mark.brasa_only

PACKED = gzip.compress(b"beta's secret", mtime=0)
HASH = hashlib.sha256(PACKED).hexdigest()


@pytest.fixture(scope="module")
def people(production):
    """Administrators by role and project; beta has a site with a version, a preview and an app."""
    made = {
        (role, project): administrators.administrator(
            production, role, f"{role}-{project or 'all'}@example.org", [project] if project else []
        )
        for role, project in [("viewer", "alpha"), ("editor", "alpha"), ("owner", "alpha"), ("owner", "beta"), ("owner", None)]
    }
    owner = made["owner", "beta"]
    version = owner.call("POST", "/v1beta1/projects/-/sites/beta/versions", json={}).json()["name"]
    populated = owner.call("POST", f"/v1beta1/{version}:populateFiles", json={"files": {"/a": HASH}}).json()
    path = populated["uploadUrl"].split("/upload/")[1]
    assert owner.call("POST", f"/upload/{path}/{HASH}", data=PACKED).status_code == 200
    assert owner.call("PATCH", f"/v1beta1/{version}?updateMask=status", json={"status": "FINALIZED"}).status_code == 200
    assert owner.call("POST", f"/v1beta1/sites/beta/channels/live/releases?versionName={version}").status_code == 200
    made["version"] = version.split("/")[-1]
    operation = owner.call("POST", "/v1beta1/projects/beta/webApps", json={"displayName": "b"}).json()
    made["app"] = operation["response"]["appId"]
    made["number"] = owner.call("GET", "/v1/projects/beta").json()["projectNumber"]
    return made


def foreign(people):
    version, app, number = people["version"], people["app"], people["number"]
    return [
        ("GET", "/v1beta1/projects/beta/sites"), ("GET", "/v1beta1/projects/-/sites/beta"), ("GET", "/v1beta1/sites/beta/channels"),
        ("POST", "/v1beta1/sites/beta/versions"), ("GET", f"/v1beta1/sites/beta/versions/{version}/files"),
        ("PATCH", f"/v1beta1/projects/alpha/sites/beta/versions/{version}"), ("DELETE", "/v1beta1/sites/beta"),
        ("POST", f"/v1beta1/sites/beta/channels/live/releases?versionName=sites/beta/versions/{version}"),
        ("POST", "/v1beta1/sites/beta/channels?channelId=x"), ("POST", f"/upload/sites/beta/versions/{version}/files/{HASH}"),
        ("POST", "/v1beta1/projects/beta/sites?siteId=beta-x"), ("GET", f"/v1beta1/projects/{number}/sites"),
        ("GET", "/v1/projects/beta"), ("GET", f"/v1/projects/{number}"), ("GET", f"/v1/projects/{number}/remoteConfig"),
        ("GET", "/v1beta1/projects/beta/webApps"), ("GET", f"/v1beta1/projects/-/webApps/{app}/config"),
        ("POST", f"/v1beta1/projects/-/webApps/{app}:remove"), ("GET", f"/v1beta1/operations/app.{app}"),
        ("GET", "/v1/projects/beta/services/firestore.googleapis.com"), ("POST", "/v1/projects/beta:testIamPermissions"),
        ("POST", "/v1/projects"),
    ]


def test_an_owner_of_alpha_reaches_nothing_of_beta(people):
    for method, path in foreign(people):
        made = people["owner", "alpha"].call(method, path, json={} if method != "GET" else None)
        assert made.status_code == 403, (method, path, made.status_code, made.text)


def test_an_owner_of_alpha_takes_no_name_and_no_content_of_beta(people):
    alpha = people["owner", "alpha"]
    for name in ["beta", "beta-docs", "other"]:
        made = alpha.call("POST", f"/v1beta1/projects/alpha/sites?siteId={name}", json={})
        assert made.status_code in (403, 409), (name, made.text)
    assert alpha.call("POST", "/v1beta1/projects/alpha/sites?siteId=alpha-docs", json={}).status_code == 200
    source = f"sites/beta/versions/{people['version']}"
    cloned = alpha.call("POST", "/v1beta1/sites/alpha-docs/versions:clone", json={"sourceVersion": source, "finalize": True})
    assert cloned.status_code == 403
    shown = alpha.call("POST", f"/v1beta1/sites/alpha-docs/channels/live/releases?versionName={source}", json={})
    assert shown.status_code == 400
    # Host names are the server's: its owners give them.
    made = alpha.call("POST", "/v1beta1/sites/alpha-docs/customDomains?customDomainId=alpha.test", json={})
    assert made.status_code == 403
    made = people["owner", None].call("POST", "/v1beta1/sites/alpha-docs/customDomains?customDomainId=alpha.test", json={})
    assert made.status_code == 200, made.text


def test_roles(people):
    viewer, editor = people["viewer", "alpha"], people["editor", "alpha"]
    assert viewer.call("GET", "/v1beta1/projects/alpha/sites").status_code == 200
    assert viewer.call("POST", "/v1beta1/sites/alpha/versions", json={}).status_code == 403
    assert viewer.call("POST", "/v1beta1/projects/alpha/webApps", json={}).status_code == 403
    assert editor.call("POST", "/v1beta1/sites/alpha/versions", json={}).status_code == 200
    assert editor.call("DELETE", "/v1beta1/sites/alpha").status_code == 403
    asked = {"permissions": ["firebase.projects.get", "firebasehosting.sites.update", "iam.roles.create"]}
    held = [
        people[who, "alpha"].call("POST", "/v1/projects/alpha:testIamPermissions", json=asked).json().get("permissions", [])
        for who in ["viewer", "editor", "owner"]
    ]
    assert held == [asked["permissions"][:1], asked["permissions"][:2], asked["permissions"]]
    projects = editor.call("GET", "/v1beta1/projects").json()["results"]
    assert [one["projectId"] for one in projects] == ["alpha"]
    assert people["owner", "alpha"].call("DELETE", "/v1beta1/sites/alpha").status_code == 200


def test_the_trail_names_what_a_query_or_a_body_names(people):
    root = people["owner", None]
    at = "/v1beta1/projects/gamma/sites"
    assert root.call("POST", "/v1/projects", json={"projectId": "gamma"}).status_code == 200
    root.call("POST", f"{at}?siteId=gamma-x", json={})
    root.call("POST", f"{at}/gamma-x/customDomains?customDomainId=gamma.test", json={})
    root.call("POST", f"{at}/gamma-x/channels?channelId=next", json={})
    version = root.call("POST", f"{at}/gamma-x/versions", json={}).json()["name"].split("/")[-1]
    root.call("PATCH", f"{at}/gamma-x/versions/{version}?updateMask=status", json={"status": "FINALIZED"})
    root.call("POST", f"{at}/gamma-x/releases?versionName=sites/gamma-x/versions/{version}", json={})
    root.call("POST", f"{at}/gamma-x/releases", json={"type": "SITE_DISABLE"})
    root.call("POST", "/v1beta1/projects/gamma/androidApps", json={"packageName": "org.gamma"})
    databases = "/v1/projects/gamma/databases"
    root.call("POST", f"{databases}?databaseId=second", json={"type": "FIRESTORE_NATIVE"})
    root.call("PATCH", f"{databases}/second?updateMask=deleteProtectionState", json={"deleteProtectionState": "DELETE_PROTECTION_DISABLED"})
    snapshot = {"database": "projects/gamma/databases/second", "snapshotTime": "2020-01-01T00:00:00Z"}
    root.call("POST", f"{databases}:clone", json={"databaseId": "third", "pitrSnapshot": snapshot})
    root.call("POST", f"{databases}/second:bulkDeleteDocuments", json={"collectionIds": ["c"]})
    root.call("POST", "/console/api/projects", json={"projectId": "delta-9", "displayName": "d"}, headers={"sec-fetch-site": "same-origin"})
    entries = root.call("GET", "/console/api/audit").json()["entries"]
    named = [subject for one in entries for subject in one["subjects"]]
    assert named[:13] == [
        "create project delta-9", "delete the documents of c", "clone projects/gamma/databases/second as database third",
        "allow deletion of database second", "create database second", "register app org.gamma", "disable the site",
        f"release version {version}", "set status FINALIZED", "create channel next", "connect domain gamma.test",
        "create site gamma-x", "create project gamma",
    ]


def test_a_site_under_the_consoles_host_is_refused_at_the_start(tmp_path):
    done = servers.run(
        "serve", "--data", tmp_path / "data", "--origin", "https://a.test", "--sites-domain", "a.test", check=False
    )
    assert done.returncode != 0 and "cookies" in done.stderr
