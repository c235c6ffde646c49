"""Administrators of the console in production: set-up links, sessions, tokens, roles, and the trail of what they do."""

import concurrent.futures
import json
import re
import time

import grpc
import jwt
import pytest
import requests

from support import secrets, server as servers
from support.administrators import PASSWORD, Page, administrator, invite, timed_code
from test_auth_limits import From

pytestmark = pytest.mark.brasa_only

PROJECT = servers.PROJECT
DOCUMENTS = f"/v1/projects/{PROJECT}/databases/(default)/documents"
BUCKET = f"{PROJECT}.appspot.com"


@pytest.fixture(scope="module")
def pages(production):
    """A signed-in administrator of each role."""
    found = {role: administrator(production, role) for role in ("owner", "editor", "viewer")}
    made = found["editor"].call("PATCH", f"{DOCUMENTS}/products/chair", json={"fields": {"price": {"integerValue": "1"}}})
    assert made.status_code == 200, made.text
    return found


@pytest.fixture(scope="module")
def service_account(production):
    """The bearer token of a back end."""
    key = production.data.parent / "console-backend.json"
    servers.run("keys", "create", "backend", "--role", "admin", "--project", PROJECT, "--out", key, "--data", production.data)
    info = json.loads(key.read_text())
    now = int(time.time())
    claims = {"iss": info["client_email"], "sub": info["client_email"], "aud": "https://firestore.googleapis.com/", "iat": now, "exp": now + 3_600}
    return secrets.note(jwt.encode(claims, secrets.note(info["private_key"]), algorithm="RS256", headers={"kid": info["private_key_id"]}), "a service account's token")


@pytest.fixture(scope="module")
def app_user(production):
    """The ID token of an app's user, whose claims say that he is an owner."""
    address = f"{production.url}/v1/projects/{PROJECT}/accounts"
    headers = {"authorization": f"Bearer {production.administrator_key}"}
    account = {"email": "mallory@example.org", "password": PASSWORD}
    uid = requests.post(address, json=account, headers=headers, verify=production.authority, timeout=30).json()["localId"]
    claims = {"localId": uid, "customAttributes": '{"role":"owner"}'}
    assert requests.post(f"{address}:update", json=claims, headers=headers, verify=production.authority, timeout=30).status_code == 200
    url = f"{production.url}/v1/accounts:signInWithPassword?key={PROJECT}"
    signed_in = requests.post(url, json=account | {"returnSecureToken": True}, verify=production.authority, timeout=30).json()
    return secrets.note(signed_in["idToken"], "ID token")


# Set-up links and signing in


def test_a_link_makes_an_account_once(production):
    link = invite(production, "grace@example.org", "editor")
    page = Page(production)
    code = link.split("#invitation=")[1]
    invitation = page.post("invitation", {"code": code}).json()
    secrets.note(invitation["secret"], "secret of a second factor")
    assert invitation["email"] == "grace@example.org" and invitation["role"] == "editor"
    assert invitation["address"].startswith("otpauth://totp/Brasa%3Agrace%40example.org?secret=")
    body = {"code": code, "password": PASSWORD, "factorCode": timed_code(invitation["secret"])}
    assert page.post("accept", body | {"password": "too short"}).status_code == 400
    assert page.post("accept", body | {"factorCode": "12345"}).status_code == 400
    # Another address than the link's is not taken.
    done = page.post("accept", body | {"email": "other@example.org"})
    assert done.status_code == 200
    cookie = done.headers["set-cookie"]
    assert cookie.startswith("__Host-brasa_console=")
    assert {"HttpOnly", "Secure", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    again = Page(production)
    assert again.post("invitation", {"code": code}).status_code == 400
    assert again.post("accept", body).status_code == 400
    assert page.renew().call("GET", "/console/api/session").json()["email"] == "grace@example.org"
    assert "grace@example.org  editor" in servers.run("console", "administrators", "--data", production.data).stdout


def test_password_and_code_sign_in_and_each_code_once(production):
    first = administrator(production, "viewer", "alan@example.org")
    page = Page(production)
    for email, password in (("alan@example.org", "wrong password here"), ("nobody@example.org", PASSWORD)):
        answer = page.post("sign-in", {"email": email, "password": password})
        assert answer.status_code == 401 and "set-cookie" not in answer.headers
    begun = page.post("sign-in", {"email": "Alan@example.org", "password": PASSWORD})
    assert begun.status_code == 200 and "set-cookie" not in begun.headers
    pending = {name: secrets.note(value, "pending") for name, value in begun.json().items()}
    # The first factor alone opens nothing.
    assert page.post("token").status_code == 401
    assert page.post("factor", pending | {"code": "000000"}).status_code == 401
    code = timed_code(first.secret, 1)
    assert page.post("factor", pending | {"code": code}).status_code == 200
    assert page.renew().role == "viewer"
    other = Page(production)
    pending = other.post("sign-in", {"email": "alan@example.org", "password": PASSWORD}).json()
    assert other.post("factor", pending | {"code": code}).status_code == 401


def test_a_browser_is_known_by_a_cookie_that_opens_nothing(production):
    page = administrator(production, "viewer", "hedy@example.org")
    [device] = [one for one in page.session.cookies if one.name == "__Host-brasa_device"]
    secrets.note(device.value, "device")
    assert device.secure and device.has_nonstandard_attr("HttpOnly") and device.path == "/"
    assert device.expires > time.time() + 300 * 86_400
    # It is not a session, and outlives one.
    other = Page(production)
    other.session.cookies.set_cookie(device)
    assert other.post("token").status_code == 401
    begun = other.post("sign-in", {"email": "hedy@example.org", "password": PASSWORD})
    assert begun.status_code == 200 and "set-cookie" not in begun.headers
    assert page.call("POST", "/console/session/end", json={}, headers={"sec-fetch-site": "same-origin"}).status_code == 200
    assert "__Host-brasa_device" in page.session.cookies


def test_a_new_link_replaces_password_and_second_factor(production):
    page = administrator(production, "editor", "mary@example.org")
    again = Page(production).set_up(invite(production, "mary@example.org", "viewer"), password="another long password")
    assert again.role == "viewer" and again.secret != page.secret
    # What was signed in with the old ones is over.
    assert page.call("GET", "/console/api/projects").status_code == 401
    assert page.post("token").status_code == 401
    assert Page(production).post("sign-in", {"email": "mary@example.org", "password": PASSWORD}).status_code == 401


def test_parallel_wrong_passwords_are_counted_each(production):
    administrator(production, "viewer", "target@example.org")

    def guess(number):
        return Page(production).post("sign-in", {"email": "target@example.org", "password": f"wrong password {number}"}).status_code

    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        codes = list(pool.map(guess, range(100)))
    # Ten tries, and one more a minute.
    assert set(codes) == {401, 429} and codes.count(401) <= 12 + (time.monotonic() - begun) / 60, codes


@pytest.mark.slow
def test_both_factors_at_once_count_while_others_try_passwords(production):
    owner = administrator(production, "owner", "stormy@example.org")

    def page_at(address):
        page = Page(production)
        page.session.mount("https://", From(address))
        return page

    def sign_in(page, password=PASSWORD, **more):
        return page.post("sign-in", {"email": "stormy@example.org", "password": password, **more}).status_code

    others = [page_at(f"127.4.0.{number}") for number in range(1, 13)]
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda number: sign_in(others[number % 12], f"wrong password {number}"), range(108)))
    away = page_at("127.4.1.1")
    assert sign_in(away) == 429
    for password, code in ((PASSWORD, "000000"), ("wrong password", timed_code(owner.secret, 1)), ("wrong password", owner.recovery_codes[0])):
        assert sign_in(away, password, code=code) == 401
        assert sign_in(away) == 429
    assert sign_in(away, code=owner.recovery_codes[0]) == 200
    assert away.renew().role == "owner"
    assert sign_in(page_at("127.4.1.2"), code=timed_code(owner.secret, 1)) == 200


# Sessions and tokens


def test_a_token_ends_with_its_session_at_once(production):
    page = administrator(production, "owner", "ends@example.org")
    other = page.token
    page.renew()
    cookie = page.session.cookies.get_dict()
    assert page.post("end", headers={"authorization": f"Bearer {page.token}"}).status_code == 200
    assert page.call("GET", "/console/api/projects").status_code == 401
    page.token = other
    assert page.call("GET", f"{DOCUMENTS}/products").status_code == 401
    page.session.cookies.update(cookie)
    assert page.post("token").status_code == 401


def test_who_is_removed_is_out_at_once(production, pages):
    page = administrator(production, "owner", "leaver@example.org")
    assert page.call("GET", f"{DOCUMENTS}/products").status_code == 200
    assert pages["owner"].call("DELETE", "/console/api/administrators/leaver@example.org").status_code == 200
    assert page.call("GET", f"{DOCUMENTS}/products").status_code == 401
    assert page.post("token").status_code == 401


def test_another_role_holds_at_once(production, pages):
    page = administrator(production, "editor", "demoted@example.org")
    change = pages["owner"].call("PATCH", "/console/api/administrators/demoted@example.org", json={"role": "viewer"})
    assert change.status_code == 200
    assert page.call("PATCH", f"{DOCUMENTS}/products/x", json={"fields": {}}).status_code == 401


def test_the_cookie_buys_tokens_of_its_own_page_and_nothing_else(production, pages):
    session = pages["owner"].session
    for path in ("/console/api/projects", f"{DOCUMENTS}/products", "/console/api/administrators", f"/v1/projects/{PROJECT}/databases"):
        answer = session.get(production.url + path, headers={"sec-fetch-site": "same-origin"}, verify=production.authority, timeout=30)
        assert answer.status_code in (401, 403), path
    url = f"{production.url}/console/session/token"
    foreign = (
        {}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"sec-fetch-site": "none"},
        {"origin": "https://evil.example"}, {"origin": "null"},
    )
    for headers in foreign:
        answer = session.post(url, json={}, headers=headers, verify=production.authority, timeout=30)
        assert answer.status_code == 403 and "token" not in answer.json(), headers
        assert not any(name.startswith("access-control") for name in map(str.lower, answer.headers)), headers
    assert session.post(url, json={}, headers={"origin": production.url}, verify=production.authority, timeout=30).status_code == 200
    # A form of another page cannot say that it is JSON.
    form = session.post(f"{production.url}/console/session/sign-in", data="{}", headers={"sec-fetch-site": "same-origin", "content-type": "text/plain"}, verify=production.authority, timeout=30)
    assert form.status_code == 400


# Who is an administrator, and who may do what


CONSOLE = [
    ("GET", "/console/api/projects"), ("GET", f"/console/api/projects/{PROJECT}/denials"), ("GET", f"/console/api/projects/{PROJECT}/apps"),
    ("POST", f"/console/api/projects/{PROJECT}/apps"),
]
OWNERS = [("GET", f"/console/api/projects/{PROJECT}/keys"), ("POST", f"/console/api/projects/{PROJECT}/keys"), ("DELETE", f"/console/api/projects/{PROJECT}/keys/x"), ("GET", "/console/api/administrators"), ("POST", "/console/api/administrators"), ("GET", "/console/api/audit"),
          ("GET", "/console/api/jobs"), ("POST", "/console/api/jobs"), ("DELETE", "/console/api/jobs/1"), ("GET", "/console/api/exports"), ("GET", "/console/api/backup")]


def test_nobody_else_is_an_administrator_of_the_console(production, service_account, app_user):
    bearers = {
        "nobody": None, "app user": app_user, "service account": service_account, "administrator key": production.administrator_key,
        "invented": "brasa-console.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    }
    path = f"{production.url}{DOCUMENTS}/products"
    headers = {"authorization": f"Bearer {service_account}"}
    assert requests.get(path, headers=headers, verify=production.authority, timeout=30).status_code == 200
    for who, bearer in bearers.items():
        headers = {"authorization": f"Bearer {bearer}"} if bearer else {}
        for method, path in CONSOLE + OWNERS:
            body = {"email": "x@example.org", "role": "owner", "platform": "web", "name": "x"} if method == "POST" else None
            answer = requests.request(method, production.url + path, json=body, headers=headers, verify=production.authority, timeout=30)
            assert answer.status_code in (401, 403), (who, path)
    shown = requests.get(f"{production.url}/console/api/session", verify=production.authority, timeout=30).json()
    assert shown == {"mode": "production"}


def test_no_account_route_reaches_administrators(production, pages, tmp_path):
    for project in ("server", "", "%FE", "-", "brasa", "_"):
        answer = pages["editor"].call("POST", f"/v1/projects/{project}/accounts:lookup", json={"email": ["owner@example.org"]})
        assert answer.status_code >= 400 or "users" not in answer.json(), project
    body = {"email": "owner@example.org", "password": PASSWORD, "returnSecureToken": True}
    for key in (PROJECT, "server"):
        answer = requests.post(f"{production.url}/v1/accounts:signInWithPassword?key={key}", json=body, verify=production.authority, timeout=30)
        assert answer.status_code == 400
    development = servers.Brasa(tmp_path / "data").start()
    try:
        page = Page(development).set_up(invite(development, "owner@example.org"))
        assert page.role == "owner"
        headers = {"authorization": "Bearer owner"}
        for project in ("server", "demo-brasa", "%FE", "*"):
            url = f"{development.url}/v1/projects/{project}/accounts:lookup"
            found = requests.post(url, json={"email": ["owner@example.org"]}, headers=headers, timeout=30)
            assert found.status_code >= 400 or "users" not in found.json(), project
        answer = requests.post(f"{development.url}/v1/accounts:signInWithPassword?key=server", json=body, timeout=30)
        assert answer.status_code == 400
    finally:
        development.kill()


READS = [
    ("GET", f"{DOCUMENTS}/products", None), ("GET", f"{DOCUMENTS}/products/chair", None), ("GET", f"/v1/projects/{PROJECT}/databases", None),
    ("POST", f"{DOCUMENTS}:runQuery", {"structuredQuery": {"from": [{"collectionId": "products"}]}}), ("POST", f"{DOCUMENTS}:listCollectionIds", {}),
    ("POST", f"{DOCUMENTS}:batchGet", {"documents": [f"projects/{PROJECT}/databases/(default)/documents/products/chair"]}),
    ("GET", f"/v1/projects/{PROJECT}/releases", None), ("POST", f"/v1/projects/{PROJECT}/accounts:lookup", {"email": ["nobody@example.org"]}),
    ("GET", f"/v1/projects/{PROJECT}/accounts:batchGet?maxResults=10", None), ("GET", f"/v1/projects/{PROJECT}/remoteConfig", None),
    ("GET", f"/storage/v1/b?project={PROJECT}", None), ("GET", "/console/api/projects", None), ("GET", f"/console/api/projects/{PROJECT}/denials", None), ("GET", f"/console/api/projects/{PROJECT}/decisions?database=(default)", None),
    ("GET", f"/console/api/projects/{PROJECT}/allowed", None), ("GET", f"/console/api/projects/{PROJECT}/databases/(default)/index-uses", None),
    ("GET", f"/console/api/projects/{PROJECT}/apps", None), ("GET", f"/v1/projects/{PROJECT}/messages", None), ("GET", f"/v1/projects/{PROJECT}/messages:listTopics", None), ("GET", f"/v1/projects/{PROJECT}/pushCredentials", None),
    ("GET", f"/v1/projects/{PROJECT}/messages/0:1", None), ("GET", f"/v1/projects/{PROJECT}/messages/0:1/deliveries", None), ("GET", f"/v1/projects/{PROJECT}/analytics/users", None),
    ("GET", "/console/api/metrics?names=brasa_connections", None), ("GET", "/console/api/certificate", None),
]

NAME = f"projects/{PROJECT}/databases/(default)/documents/products/written"
WRITES = [
    ("POST", "/console/api/projects", {"projectId": "made", "displayName": "Made"}), ("PATCH", f"/console/api/projects/{PROJECT}", {"displayName": "x"}), ("DELETE", f"/console/api/projects/{PROJECT}", None),
    ("POST", f"/console/api/projects/{PROJECT}/apps", {"platform": "web"}), ("DELETE", f"/console/api/projects/{PROJECT}/apps/x", None),
    ("PATCH", f"{DOCUMENTS}/products/written", {"fields": {}}), ("DELETE", f"{DOCUMENTS}/products/chair", None), ("POST", f"{DOCUMENTS}/products", {"fields": {}}),
    ("POST", f"{DOCUMENTS}:commit", {"writes": [{"update": {"name": NAME, "fields": {}}}]}), ("POST", f"{DOCUMENTS}:batchWrite", {"writes": [{"update": {"name": NAME}}]}),
    ("POST", f"{DOCUMENTS}:beginTransaction", {}), ("POST", f"{DOCUMENTS}/products:runQuery", {"fields": {}}),
    ("POST", f"/v1/projects/{PROJECT}/databases?databaseId=new-one", {"type": "FIRESTORE_NATIVE"}), ("DELETE", f"/v1/projects/{PROJECT}/databases/(default)", None),
    ("POST", f"/v1/projects/{PROJECT}/databases/(default)/collectionGroups/products/indexes", {"fields": []}),
    ("POST", f"/v1/projects/{PROJECT}/rulesets", {"source": {"files": []}}), ("POST", f"/v1/projects/{PROJECT}/releases", {}),
    ("POST", f"/v1/projects/{PROJECT}/accounts", {"email": "made@example.org"}), ("POST", f"/v1/projects/{PROJECT}/accounts:update", {"localId": "x"}),
    ("POST", f"/v1/projects/{PROJECT}/accounts:delete", {"localId": "x"}), ("POST", f"/v1/projects/{PROJECT}/accounts:batchCreate", {"users": []}),
    ("POST", f"/v1/projects/{PROJECT}:createSessionCookie", {}), ("PATCH", f"/v2/projects/{PROJECT}/config", {}), ("GET", f"/v2/projects/{PROJECT}/oauthIdpConfigs", None),
    # Old clients change accounts by GET too.
    ("GET", "/v1/accounts:signUp", {"targetProjectId": PROJECT, "email": "made@example.org"}), ("GET", "/v1/accounts:delete", {"targetProjectId": PROJECT, "localId": "x"}),
    ("POST", "/v1/accounts:signUp", {"targetProjectId": PROJECT, "email": "made@example.org"}), ("GET", "/identitytoolkit/v3/relyingparty/deleteAccount", {"localId": "x"}),
    ("PUT", f"/v1/projects/{PROJECT}/remoteConfig", {}), ("POST", f"/v1/projects/{PROJECT}/remoteConfig:rollback", {"versionNumber": "1"}),
    ("POST", f"/storage/v1/b?project={PROJECT}", {"name": "new-bucket"}), ("DELETE", f"/storage/v1/b/{BUCKET}/o/x", None), ("PATCH", f"/v0/b/{BUCKET}/o/x", {}),
    ("POST", f"/upload/storage/v1/b/{BUCKET}/o?uploadType=media&name=x", {}), ("POST", f"/v0/b/{BUCKET}/o?name=x", {}), ("PUT", f"/{BUCKET}/x", {}),
    ("POST", f"/v1/projects/{PROJECT}/messages:send", {"message": {"topic": "a", "data": {"a": "b"}}}), ("POST", f"/v1/projects/{PROJECT}/messages:sendToUser", {}),
    ("POST", f"/v1/projects/{PROJECT}/messages:schedule", {}), ("DELETE", f"/v1/projects/{PROJECT}/messages/0:1", None),
    ("POST", f"/v1/projects/{PROJECT}/pushCredentials", {}), ("DELETE", f"/v1/projects/{PROJECT}/pushCredentials/-", None), ("POST", f"/console/api/projects/{PROJECT}/view", {}),
    ("GET", f"/v1/projects/{PROJECT}/serverKeys", None), ("POST", f"/v1/projects/{PROJECT}/serverKeys", {}), ("DELETE", f"/v1/projects/{PROJECT}/serverKeys/x", None),
    ("POST", "/iid/v1:batchAdd", {}),
    ("GET", "/console/api/log", None), ("GET", "/console/api/requests", None), ("POST", "/console/api/jobs", {"kind": "verify"}), ("DELETE", "/console/api/jobs/1", None),
    ("PUT", f"/v1/projects/{PROJECT}/analytics/audiences/a", {}), ("POST", f"/v1/projects/{PROJECT}/analytics/erase", {"userId": "a"}),
    ("POST", f"/storage/v1/projects/{PROJECT}/hmacKeys?serviceAccountEmail=a@b.c", {}), ]


@pytest.mark.parametrize("method, path, body", READS)
@pytest.mark.parametrize("role", ["viewer", "editor", "owner"])
def test_everybody_reads(pages, role, method, path, body):
    answer = pages[role].call(method, path, json=body)
    assert answer.status_code in (200, 404), answer.text
    # What Google shows to who may not read hashes: REDACTED in Base64.
    assert set(re.findall(r'"passwordHash":"([^"]*)"', answer.text)) <= {"UkVEQUNURUQ="}
    assert '"salt"' not in answer.text


@pytest.mark.parametrize("method, path, body", WRITES)
def test_a_viewer_writes_by_no_route(pages, method, path, body):
    answer = pages["viewer"].call(method, path, json=body)
    assert answer.status_code == 403, answer.text
    # The same is refused for another reason, or done, to who may.
    assert "Your role" not in pages["owner"].call(method, path.replace("/databases/(default)", "/databases/none") if method == "DELETE" else path, json=body).text


def test_a_viewer_keeps_nobody_from_writing(pages):
    query = {"newTransaction": {"readWrite": {}}, "structuredQuery": {"from": [{"collectionId": "locked"}]}}
    pages["owner"].call("PATCH", f"{DOCUMENTS}/locked/one", json={"fields": {}})
    assert "transaction" in pages["viewer"].call("POST", f"{DOCUMENTS}:runQuery", json=query).json()[0]
    # Behind a lock this waits until it is refused.
    done = pages["owner"].call("PATCH", f"{DOCUMENTS}/locked/one", json={"fields": {}})
    assert done.status_code == 200, done.text


def test_a_viewer_writes_nothing_in_a_batch(pages):
    part = f"DELETE /storage/v1/b/{BUCKET}/o/x HTTP/1.1\r\nauthorization: Bearer {pages['owner'].token}x\r\n\r\n"
    body = f"--b\r\ncontent-type: application/http\r\n\r\n{part}\r\n--b--\r\n"
    answer = pages["viewer"].call("POST", "/batch/storage/v1", data=body, headers={"content-type": "multipart/mixed; boundary=b"})
    assert answer.status_code in (401, 403) or "HTTP/1.1 403" in answer.text or "HTTP/1.1 401" in answer.text, answer.text


def test_a_viewer_calls_nothing_by_grpc(production, pages, authority):
    credentials = grpc.ssl_channel_credentials(authority.read_bytes())
    with grpc.secure_channel(f"localhost:{production.port}", credentials) as channel:
        call = channel.unary_unary("/google.firestore.v1.Firestore/Commit")
        with pytest.raises(grpc.RpcError) as refusal:
            call(b"", metadata=[("authorization", f"Bearer {pages['viewer'].token}")], timeout=30)
    assert refusal.value.code() == grpc.StatusCode.PERMISSION_DENIED


@pytest.mark.parametrize("method, path", OWNERS + [("PATCH", "/console/api/administrators/owner@example.org"), ("DELETE", "/console/api/administrators/owner@example.org"),
                                                       ("DELETE", f"/v1/projects/{PROJECT}/databases/none")])
@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_only_owners_decide_about_administrators_and_databases(pages, role, method, path):
    body = {"email": "x@example.org", "role": "owner", "name": "x"} if method in ("POST", "PATCH") else None
    assert pages[role].call(method, path, json=body).status_code == 403


def test_an_owner_stays(tmp_path, certificates):
    server = servers.Brasa.production(tmp_path / "data", certificates).start()
    try:
        page = administrator(server, "owner")
        assert page.call("DELETE", "/console/api/administrators/owner@example.org").status_code == 400
        assert page.call("PATCH", "/console/api/administrators/owner@example.org", json={"role": "viewer"}).status_code == 400
        assert servers.run("console", "remove", "owner@example.org", "--data", server.data, check=False).returncode != 0
    finally:
        server.kill()


# What they did


def test_the_trail_has_what_was_changed_by_whom(production, pages):
    path = f"{DOCUMENTS}/products/trail"
    answer = pages["editor"].call("PATCH", path, json={"fields": {"secret": {"stringValue": "of the document"}}})
    pages["viewer"].call("DELETE", path)
    pages["viewer"].call("GET", path)
    entries = pages["owner"].call("GET", "/console/api/audit").json()["entries"]
    about = [one for one in entries if one["target"].endswith("/products/trail")]
    shown = [(one["administrator"], one["action"], one["status"]) for one in about]
    assert shown == [("viewer@example.org", "DELETE", 403), ("editor@example.org", "PATCH", 200)]
    assert about[1]["request"] == answer.headers["x-request-id"] and "of the document" not in str(entries)
    numbers = [one["number"] for one in entries]
    assert numbers == list(range(numbers[0], numbers[0] - len(numbers), -1))
    older = pages["owner"].call("GET", f"/console/api/audit?before={numbers[-1]}").json()["entries"]
    assert all(one["number"] < numbers[-1] for one in older)
    assert any(one["action"] == "set-up" for one in entries + older)
    verified = servers.run("verify", "--data", production.data)
    assert "audit entries" in verified.stdout + verified.stderr


def test_a_template_says_who_published_it(pages):
    template = {"parameters": {"k": {"defaultValue": {"value": "1"}}}}
    path = f"/v1/projects/{PROJECT}/remoteConfig"
    published = pages["editor"].call("PUT", path, json=template, headers={"if-match": "*"}).json()["version"]
    assert published["updateUser"] == {"email": "editor@example.org"} and published["updateOrigin"] == "CONSOLE"
    assert pages["viewer"].call("GET", path).json()["version"] == published


def test_a_session_outlives_a_restart_and_tokens_do_not(tmp_path, certificates):
    server = servers.Brasa.production(tmp_path / "data", certificates).start()
    try:
        page = administrator(server, "viewer")
        server.stop()
        server.start()
        assert page.call("GET", "/console/api/projects").status_code == 401
        assert page.renew().call("GET", "/console/api/projects").status_code == 200
    finally:
        server.kill()
