"""Administrators of single projects: what they reach in theirs, that nothing of others reaches them, and how roles are given."""

import json

import pytest
import requests

from support import secrets, server as servers
from support.administrators import administrator, come_in, invite
from support.webchannel import Session
from test_console_sign_in import OWNERS, READS, WRITES

pytestmark = pytest.mark.brasa_only

OWN = servers.PROJECT
OTHER = "other-shop"
BUCKET = f"{OTHER}.appspot.com"
DOCUMENTS = f"/v1/projects/{OTHER}/databases/(default)/documents"
# In everything that the other project has.
SECRET = "of-the-other-project"
SERVERS = [("GET", "/console/api/metrics?names=brasa_connections"), ("GET", "/console/api/certificate"), ("GET", "/console/api/log"), ("GET", "/console/api/requests"),
           ("PATCH", "/console/api/administrators/viewer@example.org"), ("DELETE", "/console/api/administrators/viewer@example.org")]


@pytest.fixture(scope="module")
def owner(production):
    """An owner of the server, who has filled both projects."""
    page = administrator(production, "owner", "first@example.org")
    for project in (OWN, OTHER):
        root = f"/v1/projects/{project}"
        text = SECRET if project == OTHER else "own"
        for method, path, body in (
            ("PATCH", f"{root}/databases/(default)/documents/products/{text}", {"fields": {"name": {"stringValue": text}}}),
            ("POST", f"{root}/accounts", {"email": f"{text}@example.org", "localId": text}), ("PUT", f"{root}/analytics/audiences/{text}", {"days": 7, "rule": {"event": text}}),
            ("POST", f"{root}/messages:send", {"message": {"topic": text, "notification": {"title": text}}}), ("POST", f"/console/api/projects/{project}/apps", {"platform": "web", "displayName": text}),
        ):
            answer = page.call(method, path, json=body)
            assert answer.status_code == 200, (path, answer.text)
        published = page.call("PUT", f"{root}/remoteConfig", json={"parameters": {"p": {"defaultValue": {"value": text}}}}, headers={"if-match": "*"})
        assert published.status_code == 200, published.text
        stored = page.call("POST", f"/upload/storage/v1/b/{project}.appspot.com/o?uploadType=media&name={text}", data=text.encode(), headers={"content-type": "text/plain"})
        assert stored.status_code == 200, stored.text
    return page


@pytest.fixture(scope="module")
def pages(production, owner):
    """Administrators of the own project alone."""
    return {role: administrator(production, role, f"{role}@example.org", [OWN]) for role in ("owner", "editor", "viewer")}


def of_other(path, body=None):
    """The same about the other project."""
    text = json.dumps([path, body]).replace(f"{OWN}.appspot.com", BUCKET).replace(OWN, OTHER).replace("products/chair", f"products/{SECRET}")
    return json.loads(text)


@pytest.mark.parametrize("role", ["viewer", "owner"])
def test_no_route_shows_or_changes_another_project(pages, role):
    page = pages[role].renew()
    more = [
        ("GET", f"/storage/v1/b/{BUCKET}/o/{SECRET}?alt=media", None), ("GET", f"/download/storage/v1/b/{BUCKET}/o/{SECRET}?alt=media", None), ("GET", f"/v0/b/{BUCKET}/o/{SECRET}?alt=media", None),
        ("GET", f"/storage/v1/b/{BUCKET}", None), ("GET", f"/storage/v1/b/{BUCKET}/o", None), ("GET", f"/v0/b/{BUCKET}/o", None), ("GET", f"/{BUCKET}/{SECRET}", None), ("GET", f"/storage/v1/b/{BUCKET}/iam", None),
        ("POST", f"/storage/v1/b/{BUCKET}/o/{SECRET}/copyTo/b/{OWN}.appspot.com/o/mine", {}), ("POST", f"/storage/v1/b/{OWN}.appspot.com/o/own/rewriteTo/b/{BUCKET}/o/theirs", {}),
        ("GET", f"/v1/projects/{OTHER}/remoteConfig/experiments", None), ("POST", f"/v1/projects/{OTHER}/remoteConfig:evaluate", {}), ("GET", f"/v1/projects/{OTHER}/namespaces/firebase/remoteConfig", None),
        ("GET", f"/v1/projects/{OTHER}/analytics/audiences", None), ("GET", f"/v1/projects/{OTHER}/analytics/export/2026-11-23", None), ("GET", f"/v1/projects/{OTHER}/rulesets", None),
        ("POST", f"/v1/projects/{OTHER}:test", {"source": {"files": []}}), ("GET", f"/v1beta1/projects/{OTHER}/databases/(default)/documents/products", None), ("GET", f"/v1/projects/{OTHER}/databases/(default)", None),
        ("GET", f"/v1/projects/{OTHER}/databases/(default)/collectionGroups/-/indexes", None), ("POST", "/v1/accounts:lookup", {"targetProjectId": OTHER, "localId": [SECRET]}),
        ("POST", f"/v1/projects/{OTHER}/messages:sendToAudience", {"audience": SECRET, "message": {}}), ("GET", f"/v2/projects/{OTHER}/config", None),
        # The path is the own project's, what the body names is not.
        ("POST", f"/v1/projects/{OWN}/databases/(default)/documents:batchGet", {"documents": [f"projects/{OTHER}/databases/(default)/documents/products/{SECRET}"]}),
        ("POST", f"/v1/projects/{OWN}/databases/(default)/documents:commit", {"writes": [{"update": {"name": f"projects/{OTHER}/databases/(default)/documents/products/x", "fields": {}}}]}),
        ("POST", f"/v1/projects/{OWN}/accounts:lookup", {"targetProjectId": OTHER, "localId": [SECRET]}),
    ]
    cases = [(method, *of_other(path, body)) for method, path, body in READS + WRITES if of_other(path, body) != [path, body]] + more
    assert len(cases) > 70
    open_to = []
    for method, path, body in cases:
        answer = page.call(method, path, json=body)
        # Google's lookup answers 200 where there is no such user; what it finds counts.
        if answer.status_code < 400 and (SECRET in answer.text or "accounts:lookup" not in path):
            open_to.append((method, path, answer.status_code, answer.text[:200]))
    assert open_to == []


def test_nothing_of_another_project_is_heard_by_listening(production, pages):
    for role in ("viewer", "owner"):
        token = pages[role].renew().token
        for project, expected in ((OWN, "own"), (OTHER, None)):
            database = f"projects/{project}/databases/(default)"
            session = Session(production, database, "Listen", verify=str(production.authority))
            target = {"targetId": 2, "query": {"parent": f"{database}/documents", "structuredQuery": {"from": [{"collectionId": "products"}]}}}
            assert session.open([{"database": database, "addTarget": target}], authorization=f"Bearer {token}").status_code == 200
            channel, heard = session.get(), []
            while not any(word in str(heard) for word in ("PERMISSION_DENIED", "'code': 7", "CURRENT")):
                heard.append(channel.message())
            channel.close()
            session.terminate()
            session.close()
            assert SECRET not in str(heard)
            assert (expected in str(heard)) if expected else ("CURRENT" not in str(heard)), (role, heard)


@pytest.mark.parametrize("role", ["viewer", "editor", "owner"])
def test_the_own_project_is_as_the_role_says(pages, role):
    page = pages[role].renew()
    served = ("/console/api/metrics", "/console/api/certificate")
    for method, path, body in READS:
        answer = page.call(method, path, json=body)
        assert answer.status_code == 403 if path.startswith(served) else answer.status_code in (200, 404), (path, answer.text)
    written = page.call("PATCH", f"/v1/projects/{OWN}/databases/(default)/documents/products/{role}", json={"fields": {}})
    assert written.status_code == (403 if role == "viewer" else 200)
    view = page.call("POST", f"/console/api/projects/{OWN}/view", json={"uid": "somebody"})
    assert view.status_code == (200 if role == "owner" else 403)
    if role == "owner":
        token = secrets.note(view.json()["token"], "view token")
        read = requests.get(f"{page.server.url}{DOCUMENTS}/products/{SECRET}", headers={"authorization": f"Bearer {token}"}, verify=page.server.authority, timeout=30)
        assert read.status_code in (403, 404) and SECRET not in read.text


@pytest.mark.parametrize("method, path", OWNERS + SERVERS + [("POST", f"/storage/v1/projects/{OWN}/hmacKeys?serviceAccountEmail=a@b.c")])
def test_what_is_the_servers_is_not_an_owners_of_a_project(pages, method, path):
    # Keys are administrators of the whole server, so they are not to be had here either.
    body = {"email": "x@example.org", "role": "owner", "name": "x", "kind": "verify"} if method in ("POST", "PATCH") else None
    assert pages["owner"].renew().call(method, path, json=body).status_code == 403


def test_a_project_is_created_once_named_and_deleted_when_it_is_empty(owner, pages):
    root, made = "/console/api/projects", "a-new-shop"
    owner.renew()
    first = owner.call("POST", root, json={"projectId": made, "displayName": " A new shop "})
    assert first.status_code == 200 and first.json() == {"projectId": made, "displayName": "A new shop"}
    for taken in (made, OWN, OTHER):
        assert owner.call("POST", root, json={"projectId": taken, "displayName": "again"}).status_code == 409
    for wrong in ({"projectId": "Not a project", "displayName": "x"}, {"projectId": "", "displayName": "x"}, {"projectId": "x-y", "displayName": " "}, {"projectId": "x-y", "displayName": "x" * 101}, {"projectId": "x-y"}):
        assert owner.call("POST", root, json=wrong).status_code == 400, wrong
    assert owner.call("PATCH", f"{root}/unknown-shop", json={"displayName": "x"}).status_code == 404
    assert owner.call("PATCH", f"{root}/{made}", json={"displayName": "Shop & Söhne"}).status_code == 200
    listed = owner.call("GET", root).json()
    assert made in listed["projects"] and listed["names"] == {made: "Shop & Söhne"}
    # Google's command line has the name, too.
    assert owner.call("GET", f"/v1beta1/projects/{made}").json()["displayName"] == "Shop & Söhne"
    # Nobody of another project learns of it, or changes it.
    stranger = pages["owner"].renew()
    assert made not in stranger.call("GET", root).text
    assert [stranger.call("POST", root, json={"projectId": "mine-too", "displayName": "x"}).status_code, stranger.call("PATCH", f"{root}/{made}", json={"displayName": "x"}).status_code, stranger.call("DELETE", f"{root}/{made}").status_code] == [403] * 3
    # What it has is not lost by deleting it: those are deleted first, by whoever may.
    app = owner.call("POST", f"{root}/{made}/apps", json={"platform": "web"}).json()["id"]
    refused = owner.call("DELETE", f"{root}/{made}")
    assert refused.status_code == 400 and refused.json()["error"]["status"] == "FAILED_PRECONDITION"
    assert owner.call("DELETE", f"{root}/{OTHER}").status_code == 400
    assert owner.call("DELETE", f"{root}/{made}/apps/{app}").status_code == 200
    assert owner.call("DELETE", f"{root}/{made}").status_code == 200
    assert made not in owner.call("GET", root).json()["projects"]


def test_the_session_says_which_projects(pages):
    page = pages["editor"].renew()
    shown = page.call("GET", "/console/api/session").json()
    assert shown["role"] is None and shown["projects"] == {OWN: "editor"}
    assert page.call("GET", "/console/api/projects").json() == {"projects": [OWN]}
    assert page.call("GET", "/console/api/me").status_code == 200


def test_roles_are_given_and_taken_and_both_are_in_the_trail(production, owner):
    page = administrator(production, "viewer", "moving@example.org", [OWN])
    address = "/console/api/administrators/moving@example.org"
    change = owner.renew().call("PATCH", address, json={"role": "viewer", "projects": {OTHER: "editor"}})
    assert change.status_code == 200, change.text
    # The old roles' tokens are over.
    assert page.call("GET", f"/v1/projects/{OWN}/remoteConfig").status_code == 401
    [shown] = [one for one in owner.call("GET", "/console/api/administrators").json()["administrators"] if one["email"] == "moving@example.org"]
    assert shown["role"] == "viewer" and shown["projects"] == {OTHER: "editor"}
    assert "moving@example.org  viewer, editor of other-shop" in servers.run("console", "administrators", "--data", production.data).stdout
    trail = owner.call("GET", "/console/api/audit").json()["entries"]
    assert [(one["administrator"], one["action"], one["status"]) for one in trail if one["target"] == address] == [("first@example.org", "PATCH", 200)]
    for wrong in ({}, {"role": "king"}, {"projects": {OWN: "king"}}, {"projects": {"Not A Project": "viewer"}}, {"projects": {OWN: 1}}):
        assert owner.call("PATCH", address, json=wrong).status_code == 400, wrong
    # The last owner of the server stays one, whatever owners projects have.
    assert owner.call("PATCH", "/console/api/administrators/first@example.org", json={"projects": {OWN: "owner"}}).status_code == 400


# In the browser


@pytest.fixture
def console(owner, production_console):
    return production_console


def test_a_viewer_of_one_project_finds_that_one_alone(console, production):
    come_in(console, invite(production, "one@example.org", "viewer", [OWN]))
    console.sees("Viewer")
    choices = "return [...document.querySelector('select[aria-label=Project]').options].map((one) => one.value)"
    assert console.browser.run(choices) == [OWN]
    assert console.all("link", "Operations") == []
    console.driver.get(f"{production.url}/console/{OWN}/firestore/-default-/data/products")
    console.sees("own")
    assert not console.is_enabled("Add document")
    console.driver.get(f"{production.url}/console/{OTHER}/firestore/-default-/data/products")
    console.sees("You don't have permission to do this.")
    assert SECRET not in console.driver.page_source


@pytest.mark.parametrize("role, sees", [("owner", True), ("editor", False), ("viewer", False)])
def test_who_may_change_sign_in_methods_sees_them(console, production, role, sees):
    come_in(console, invite(production, f"methods-{role}@example.org", role, [OWN]))
    console.driver.get(f"{production.url}/console/{OWN}/settings/methods")
    console.find("link", "Apps and keys")
    assert len(console.all("link", "Sign-in methods")) == int(sees)
    if sees:
        console.sees("Authorized domains")
    else:
        assert "Authorized domains" not in console.driver.page_source


def test_an_owner_gives_roles_by_project(console, production, owner):
    administrator(production, "viewer", "given@example.org", [OWN])
    come_in(console, invite(production, "giving@example.org", "owner"))
    console.driver.get(f"{production.url}/console/{OWN}/settings/administrators")
    console.sees(f"Viewer ({OWN})")
    console.click("button", "Role of given@example.org")
    console.find("dialog")
    console.choose("Role", "editor")
    console.click("button", "Add project")
    console.browser.run("const rows = document.querySelectorAll('dialog .pair'); rows[1].querySelector('input').value = arguments[0]", OTHER)
    console.click("button", "Save")
    console.sees(f"Viewer ({OTHER})")
    [shown] = [one for one in owner.renew().call("GET", "/console/api/administrators").json()["administrators"] if one["email"] == "given@example.org"]
    assert shown["projects"] == {OWN: "editor", OTHER: "viewer"} and shown["role"] is None


def test_the_trail_is_filtered_and_kept_as_a_file(production_console, production, tmp_path):
    console = production_console
    come_in(console, invite(production, "auditor@example.org", "owner"))
    console.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    console.driver.get(f"{production.url}/console/{OWN}/settings/audit")
    console.sees("auditor@example.org")
    console.fill("Filter", "AUDITOR@example.org")
    rows = "return [...document.querySelectorAll('main tbody tr')].map((one) => one.textContent)"
    console.until(lambda: all("auditor@example.org" in row for row in console.browser.run(rows)), "others are there")
    console.click("button", "Export CSV")
    file = console.until(lambda: next((one for one in tmp_path.glob("audit.csv") if one.stat().st_size > 0), None), "no file")
    head, *rows = file.read_text().splitlines()
    assert head == "number,time,administrator,address,action,target,status,request,digest,subjects"
    assert rows and all("auditor@example.org" in row for row in rows)


@pytest.mark.parametrize("role, status", [("viewer", 403), ("editor", 200)])
def test_download_urls_are_made_and_revoked_by_who_may_change_files(pages, role, status):
    """A viewer reads files and makes no links of them, which outlive the viewer."""
    bucket = f"{OWN}.appspot.com"
    name = f"{role}.txt"
    assert pages["owner"].renew().call("POST", f"/upload/storage/v1/b/{bucket}/o?uploadType=media&name={name}", data=b"x").status_code == 200
    page = pages[role].renew()
    made = page.call("POST", f"/v0/b/{bucket}/o/{name}?create_token=true")
    assert made.status_code == status, made.text
    token = pages["owner"].call("POST", f"/v0/b/{bucket}/o/{name}?create_token=true").json()["downloadTokens"].split(",")[0]
    assert page.call("POST", f"/v0/b/{bucket}/o/{name}?delete_token={token}").status_code == status
