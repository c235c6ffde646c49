"""What is left of a right when it has ended: links, keys, uploads and names that one took before another, and what the
audit trail and an operator's terminal say of it."""

import json

import pytest
import requests
from google.auth.transport.requests import Request
from google.oauth2 import service_account

from support import secrets, server as servers
from support.administrators import PASSWORD, administrator, invite
from support.identity import Identity
from test_storage_hmac import code, sign

pytestmark = pytest.mark.brasa_only

OWN = servers.PROJECT
BUCKET = f"{OWN}.appspot.com"
UPLOAD = f"/upload/storage/v1/b/{BUCKET}/o?uploadType=resumable&name="
STAND_IN = "other-shop"


@pytest.fixture(scope="module")
def owner(production):
    return administrator(production, "owner", "first@example.org")


def console(server, *arguments, check=True):
    return servers.run("console", *arguments, "--data", server.data, check=check)


def key_file(production, directory, name, project=OWN):
    file = directory / f"{name}.json"
    servers.run("keys", "create", name, "--role", "admin", "--project", project, "--out", file, "--origin", production.url, "--data", production.data)
    secrets.note_file(file)
    return json.loads(file.read_text())


def access_token(authority, key):
    """A token of a service account, by its key file."""
    scopes = ["https://www.googleapis.com/auth/cloud-platform"]
    credentials = service_account.Credentials.from_service_account_info(key, scopes=scopes)
    session = requests.Session()
    # Without the environment, whose authorities would come before this one.
    session.trust_env, session.verify = False, str(authority)
    credentials.refresh(Request(session))
    return secrets.note(credentials.token, "an access token")


# Names


@pytest.mark.parametrize("roles", [{"projects": [OWN]}, {}])
@pytest.mark.parametrize("name", ["{}.appspot.com", "{}.firebasestorage.app", "staging.{}.appspot.com"])
def test_an_editor_takes_no_other_projects_bucket(production, owner, roles, name):
    name = name.format(STAND_IN)
    page = administrator(production, "editor", "taker@example.org", **roles)
    answer = page.call("POST", f"/storage/v1/b?project={OWN}", json={"name": name})
    assert answer.status_code == 409 and "not available" in answer.text
    # Its owner has it afterwards as before.
    kept = owner.renew().call("POST", f"/upload/storage/v1/b/{STAND_IN}.appspot.com/o?uploadType=media&name=o", data=b"theirs")
    assert kept.status_code == 200, kept.text
    if roles:
        assert page.renew().call("GET", f"/storage/v1/b/{STAND_IN}.appspot.com/o/o?alt=media").status_code == 404


def test_development_takes_no_other_projects_bucket(server, project):
    other = f"{project}-other.appspot.com"
    made = requests.post(f"{server.url}/storage/v1/b?project={project}", json={"name": other}, timeout=30)
    assert made.status_code == 409
    stored = requests.post(f"{server.url}/upload/storage/v1/b/{other}/o?uploadType=media&name=o", data=b"x", timeout=30)
    assert stored.status_code == 200
    assert other in requests.get(f"{server.url}/storage/v1/b?project={project}-other", timeout=30).text
    assert other not in requests.get(f"{server.url}/storage/v1/b?project={project}", timeout=30).text


# Links


def refused(page, link, email=None):
    """Whether a set-up link makes no administrator any more."""
    answer = page.post("accept", {"code": link.split("#invitation=")[1], "email": email, "password": PASSWORD, "factorCode": "000000"})
    return answer.status_code == 400 and "no longer valid" in answer.text


def test_a_removed_administrator_does_not_come_back_by_an_older_link(production, owner):
    page = administrator(production, "editor", "gone@example.org")
    links = [invite(production, "gone@example.org", "owner"), invite(production)]
    assert console(production, "remove", "gone@example.org").returncode == 0
    assert all(refused(page, link, "gone@example.org") for link in links)


def test_another_role_and_a_new_link_end_the_older_ones(production, owner):
    page = administrator(production, "owner", "demoted@example.org")
    first = invite(production, "demoted@example.org", "owner")
    second = invite(production, "Demoted@example.org", "editor")
    assert refused(page, first)
    changed = owner.renew().call("PATCH", "/console/api/administrators/demoted@example.org", json={"role": "viewer"})
    assert changed.status_code == 200
    assert refused(page, second)


def test_the_links_that_somebody_made_end_with_the_account(production, owner):
    page = administrator(production, "owner", "maker@example.org")
    made = page.call("POST", "/console/api/administrators", json={"email": "accomplice@example.org", "role": "owner"}).json()["code"]
    secrets.note(made, "invitation")
    [shown] = [one for one in owner.renew().call("GET", "/console/api/administrators").json()["invitations"] if one["email"] == "accomplice@example.org"]
    assert shown["maker"] == "maker@example.org" and shown["role"] == "owner" and made not in str(shown)
    assert owner.call("DELETE", "/console/api/administrators/maker@example.org").status_code == 200
    assert refused(page, f"#invitation={made}")


def test_open_links_are_listed_and_ended(production, owner):
    link = invite(production, "asked@example.org", "viewer", [OWN])
    listed = console(production, "administrators").stdout
    assert "open link" in listed and f"asked@example.org  viewer of {OWN}" in listed and link.split("=")[1] not in listed
    [shown] = [one for one in owner.renew().call("GET", "/console/api/administrators").json()["invitations"] if one["email"] == "asked@example.org"]
    assert owner.call("DELETE", f"/console/api/invitations/{shown['id']}").status_code == 200
    assert owner.call("DELETE", f"/console/api/invitations/{shown['id']}").status_code == 404
    assert refused(owner, link)
    # The command ends those of an address without an account too.
    again = invite(production, "asked@example.org", "viewer")
    assert console(production, "remove", "asked@example.org").returncode == 0
    assert refused(owner, again)
    assert console(production, "remove", "asked@example.org", check=False).returncode != 0


# Keys


def batch(page, call):
    body = f"--b\r\ncontent-type: application/http\r\n\r\n{call} HTTP/1.1\r\n\r\n\r\n--b--\r\n"
    return page.call("POST", "/batch/storage/v1", data=body, headers={"content-type": "multipart/mixed; boundary=b"})


def test_a_key_is_an_owners_to_make_and_is_shown_when_its_maker_goes(production, authority, owner, tmp_path):
    account = key_file(production, tmp_path, "shared")["client_email"]
    keys = f"/storage/v1/projects/{OWN}/hmacKeys?serviceAccountEmail={account}"
    editor = administrator(production, "editor", "editor-of-keys@example.org")
    for method, path in (("POST", keys), ("GET", keys.split("?")[0])):
        assert editor.call(method, path).status_code == 403
        # A batch is no way round.
        answer = batch(editor, f"{method} {path}")
        assert "HTTP/1.1 403" in answer.text and "secret" not in answer.text
    maker = administrator(production, "owner", "maker-of-keys@example.org")
    assert batch(maker, f"POST {keys.split('?')[0]}?serviceAccountEmail=nobody@{OWN}.iam.brasa").text.count("HTTP/1.1 404") == 1
    made = maker.call("POST", keys).json()
    secrets.note(made["secret"], "an HMAC key")
    access_id = made["metadata"]["accessId"]
    assert made["metadata"]["createdBy"] == "maker-of-keys@example.org"
    made_too = maker.call("POST", f"/v1/projects/{OWN}/serverKeys", json={"name": "legacy"})
    assert made_too.status_code == 200, made_too.text
    secrets.note(made_too.json()["key"], "a server key")
    # Another project's account shares nothing here.
    foreign = key_file(production, tmp_path, "foreign", STAND_IN)["client_email"]
    assert maker.call("POST", f"{keys.split('?')[0]}?serviceAccountEmail={foreign}").status_code == 404
    # The key is of its project alone.
    for bucket, status in ((BUCKET, 200), (f"{STAND_IN}.appspot.com", 403)):
        url = f"{production.url}/{bucket}/by-secret"
        answer = requests.put(sign(url, "PUT", access_id, made["secret"]), b"x", verify=authority, timeout=30)
        assert answer.status_code == status, answer.text
    source = {"x-goog-copy-source": f"/{STAND_IN}.appspot.com/o"}
    copy = sign(f"{production.url}/{BUCKET}/copied", "PUT", access_id, made["secret"], headers=source)
    assert requests.put(copy, headers=source, verify=authority, timeout=30).status_code == 403
    removed = console(production, "remove", "maker-of-keys@example.org").stdout
    assert f"HMAC key {access_id} of project {OWN}" in removed
    listed = servers.run("keys", "list", "--data", production.data).stdout
    [line] = [line for line in listed.splitlines() if line.startswith(access_id)]
    assert line.endswith("by maker-of-keys@example.org, no longer an administrator")
    found = owner.renew().call("GET", f"/console/api/projects/{OWN}/keys").json()
    [shown] = [one for one in found["keys"] if one["id"] == access_id]
    assert shown["kind"] == "hmac" and shown["isMakerGone"] is True and made["secret"] not in str(shown)
    assert [(one["id"], one["kind"], one["isMakerGone"]) for one in found["serverKeys"]] == [("legacy", "server", True)]
    assert owner.call("GET", f"/console/api/projects/{STAND_IN}/keys").json()["serverKeys"] == []
    assert owner.call("DELETE", f"/console/api/projects/{OWN}/keys/{access_id}").status_code == 200
    answer = requests.get(sign(f"{production.url}/{BUCKET}/by-secret", "GET", access_id, made["secret"]), verify=authority, timeout=30)
    assert answer.status_code == 403 and code(answer) == "SignatureDoesNotMatch"
    assert servers.run("keys", "revoke", access_id, "--data", production.data, check=False).returncode != 0


def test_a_key_is_shown_whose_making_service_account_has_no_key_any_more(production, authority, owner, tmp_path):
    back_end = key_file(production, tmp_path, "key-maker")
    made = requests.post(
        f"{production.url}/storage/v1/projects/{OWN}/hmacKeys", params={"serviceAccountEmail": back_end["client_email"]},
        headers={"Authorization": f"Bearer {access_token(authority, back_end)}"}, verify=authority, timeout=30,
    ).json()
    secrets.note(made["secret"], "an HMAC key")
    access_id = made["metadata"]["accessId"]
    assert made["metadata"]["createdBy"] == back_end["client_email"]

    def listed():
        lines = servers.run("keys", "list", "--data", production.data).stdout.splitlines()
        [line] = [line for line in lines if line.startswith(access_id)]
        keys = owner.renew().call("GET", f"/console/api/projects/{OWN}/keys").json()["keys"]
        [shown] = [one for one in keys if one["id"] == access_id]
        return line, shown["isMakerGone"]

    line, is_gone = listed()
    assert line.endswith(f"by {back_end['client_email']}") and not is_gone
    servers.run("keys", "revoke", back_end["private_key_id"], "--data", production.data)
    line, is_gone = listed()
    assert line.endswith(", no longer an administrator") and is_gone
    # What it signs ended with the account's last key.
    answer = requests.get(sign(f"{production.url}/{BUCKET}/by-secret", "GET", access_id, made["secret"]), verify=authority, timeout=30)
    assert answer.status_code == 403
    servers.run("keys", "revoke", access_id, "--data", production.data)


def test_the_keys_that_somebody_made_end_on_request(production, authority, owner, tmp_path):
    def revoke(*arguments, check=True):
        return servers.run("keys", "revoke", *arguments, "--data", production.data, check=check)

    def listed():
        return servers.run("keys", "list", "--data", production.data).stdout

    other = key_file(production, tmp_path, "of-others")["client_email"]
    maker = administrator(production, "owner", "Thief@example.org")
    file = json.loads(maker.call("POST", f"/console/api/projects/{OWN}/keys", json={"name": "of-the-thief"}).json()["text"])
    secrets.note(file["private_key"], "a private key")
    # With the file a key of an account that stays, and a server key.
    made = requests.post(
        f"{production.url}/storage/v1/projects/{OWN}/hmacKeys", params={"serviceAccountEmail": other},
        headers={"Authorization": f"Bearer {access_token(authority, file)}"}, verify=authority, timeout=30,
    ).json()
    secrets.note(made["secret"], "an HMAC key")
    access_id = made["metadata"]["accessId"]
    legacy = maker.call("POST", f"/v1/projects/{OWN}/serverKeys", json={"name": "of-the-thief-too"})
    secrets.note(legacy.json()["key"], "a server key")
    url = sign(f"{production.url}/{BUCKET}/by-thief", "PUT", access_id, made["secret"])
    assert requests.put(url, b"x", verify=authority, timeout=30).status_code == 200
    assert "brasa keys revoke --made-by thief@example.org" in console(production, "remove", "thief@example.org").stdout
    # Nothing else is said than which keys ended, and another's stay.
    assert revoke("--made-by", "somebody@example.org", check=False).returncode == 1
    for arguments in (["--made-by", "thief"], ["of-others", "--made-by", "thief@example.org"], []):
        assert revoke(*arguments, check=False).returncode == 64
    ended = revoke("--made-by", "thief@example.org").stdout
    assert f"service account {file['private_key_id']} of project {OWN}, made by thief@example.org" in ended
    assert f"server key of-the-thief-too of project {OWN}, made by thief@example.org" in ended
    assert f"HMAC key {access_id} of project {OWN}, made by {file['client_email']}" in ended and "3 keys revoked" in ended
    assert requests.put(url, b"x", verify=authority, timeout=30).status_code == 403
    left = listed()
    assert other in left and not any(one in left for one in (access_id, file["private_key_id"], "of-the-thief-too"))
    assert revoke("--made-by", "thief@example.org", check=False).returncode == 1


# Uploads


def begun(page, name):
    answer = page.call("POST", UPLOAD + name, json={})
    assert answer.status_code == 200, answer.text
    return answer.headers["location"]


def go_on(url, authority, data=b"late", **headers):
    return requests.put(url, data, headers=headers, verify=authority, timeout=30)


def absent(owner, name):
    return owner.renew().call("GET", f"/storage/v1/b/{BUCKET}/o/{name}").status_code == 404


def test_an_upload_ends_with_its_administrators_account(production, authority, owner):
    page = administrator(production, "editor", "uploader@example.org")
    stays, first, second = (begun(page, name) for name in ("stays", "left-1", "left-2"))
    # The token of the page is not asked for: the account is.
    assert go_on(stays, authority).status_code == 200
    assert go_on(first, authority, b"0" * (256 << 10), **{"content-range": f"bytes 0-{(256 << 10) - 1}/*"}).status_code == 308
    console(production, "remove", "uploader@example.org")
    for url in (first, second):
        assert go_on(url, authority, b"", **{"content-range": "bytes */*"}).status_code == 403
        assert go_on(url, authority).status_code == 404
    assert absent(owner, "left-1") and absent(owner, "left-2")


@pytest.mark.parametrize("roles", [{"role": "viewer"}, {"projects": {STAND_IN: "owner"}}])
def test_an_upload_ends_with_its_administrators_role(production, authority, owner, roles):
    page = administrator(production, "editor", "demoted-uploader@example.org")
    url = begun(page, "demoted")
    assert owner.renew().call("PATCH", "/console/api/administrators/demoted-uploader@example.org", json=roles).status_code == 200
    assert go_on(url, authority).status_code == 403
    assert absent(owner, "demoted")


def test_an_upload_by_a_signature_ends_with_the_key(production, authority, owner, tmp_path):
    """The XML API's resumable uploads, begun with a shared secret and with a token of a service account."""
    account = key_file(production, tmp_path, "resumes")["client_email"]
    made = owner.renew().call("POST", f"/storage/v1/projects/{OWN}/hmacKeys?serviceAccountEmail={account}").json()
    secrets.note(made["secret"], "an HMAC key")
    access_id = made["metadata"]["accessId"]
    headers = {"x-goog-resumable": "start"}
    urls = []
    for name in ("signed-1", "signed-2"):
        start = sign(f"{production.url}/{BUCKET}/{name}", "POST", access_id, made["secret"], headers=headers)
        answer = requests.post(start, headers=headers, verify=authority, timeout=30)
        assert answer.status_code == 201, answer.text
        urls.append(answer.headers["location"])
    assert go_on(urls[0], authority).status_code == 200
    servers.run("keys", "revoke", access_id, "--data", production.data)
    assert go_on(urls[1], authority).status_code == 403
    assert absent(owner, "signed-2")


@pytest.mark.parametrize("change", [{"disableUser": True}, {"customAttributes": json.dumps({"level": 1})}, None])
def test_an_upload_ends_with_its_users_account(production, authority, owner, change, tmp_path):
    rules = tmp_path / "storage.rules"
    rules.write_text("rules_version = '2';\nservice firebase.storage { match /b/{b}/o/{name=**} { allow read, write: if request.auth != null; } }")
    servers.run("rules", "deploy", rules, "--project", OWN, "--service", "storage", "--data", production.data)
    identity = Identity(production, OWN, verify=str(authority))
    user = identity.client("signUp", email=f"{tmp_path.name.replace('_', '-')}@example.com", password="correct horse 7")
    headers = {"authorization": f"Bearer {user['idToken']}", "x-goog-upload-protocol": "resumable", "x-goog-upload-command": "start"}
    urls = []
    for name in ("kept", "cut"):
        answer = requests.post(f"{production.url}/v0/b/{BUCKET}/o?name={tmp_path.name}-{name}", json={}, headers=headers, verify=authority, timeout=30)
        assert answer.status_code == 200, answer.text
        urls.append(answer.headers["x-goog-upload-url"])
    finish = {"x-goog-upload-command": "upload, finalize", "x-goog-upload-offset": "0"}
    assert requests.post(urls[0], b"kept", headers=finish, verify=authority, timeout=30).status_code == 200
    if change is None:
        # The rules allow it no more.
        rules.write_text("rules_version = '2';\nservice firebase.storage { match /b/{b}/o/{name=**} { allow read; } }")
        servers.run("rules", "deploy", rules, "--project", OWN, "--service", "storage", "--data", production.data)
    else:
        answer = owner.renew().call("POST", f"/v1/projects/{OWN}/accounts:update", json={"localId": user["localId"]} | change)
        assert answer.status_code == 200, answer.text
    for command in ("query", "upload", "upload, finalize"):
        answer = requests.post(urls[1], b"cut" if command != "query" else b"", headers=finish | {"x-goog-upload-command": command}, verify=authority, timeout=30)
        assert answer.status_code == (403 if command == "query" else 404), (command, answer.text)
    assert absent(owner, f"{tmp_path.name}-cut")


# The audit trail


def trail(owner, target):
    return [one for one in owner.renew().call("GET", "/console/api/audit").json()["entries"] if one["target"] == target]


def test_the_trail_names_what_a_batch_deleted(owner):
    owner.renew().call("POST", f"/upload/storage/v1/b/{BUCKET}/o?uploadType=media&name=named", data=b"x")
    assert "HTTP/1.1 204" in batch(owner, f"DELETE /storage/v1/b/{BUCKET}/o/named").text
    assert trail(owner, "/batch/storage/v1")[0]["subjects"] == [f"DELETE /storage/v1/b/{BUCKET}/o/named 204"]
    documents = f"/v1/projects/{OWN}/databases/(default)/documents"
    name = documents.removeprefix("/v1/")
    for verb, count in (("commit", 2), ("batchWrite", 130)):
        writes = [{"delete": f"{name}/old/{number:03}"} for number in range(count)]
        assert owner.renew().call("POST", f"{documents}:{verb}", json={"writes": writes}).status_code == 200
        subjects = trail(owner, f"{documents}:{verb}")[0]["subjects"]
        kept = [f"delete old/{number:03}" for number in range(min(count, 100))]
        assert subjects == (kept if count < 100 else [*kept, "and 30 more"])
    for verb, body, subjects in (
        ("batchDelete", {"localIds": ["u1", "u2"], "force": True}, ["delete u1", "delete u2"]), ("delete", {"localId": "u3"}, ["delete u3"]),
    ):
        path = f"/v1/projects/{OWN}/accounts:{verb}"
        owner.renew().call("POST", path, json=body)
        assert trail(owner, path)[0]["subjects"] == subjects


def test_the_trail_names_what_a_list_of_deletions_deleted(owner):
    owner.renew().call("POST", f"/upload/storage/v1/b/{BUCKET}/o?uploadType=media&name=listed", data=b"x")
    body = "<Delete><Object><Key>listed</Key></Object><Object><Key>absent</Key></Object></Delete>"
    assert "<Deleted><Key>listed</Key></Deleted>" in owner.call("POST", f"/{BUCKET}?delete", data=body).text
    names = [f"DELETE /{BUCKET}/listed", f"DELETE /{BUCKET}/absent"]
    assert trail(owner, f"/{BUCKET}")[0]["subjects"] == names


# The operator's terminal and directories


NASTY = "\x1b[2J\x9b31m\u202egnp.exe\u2066\r\n forged"


def test_commands_print_no_name_as_it_came(server, project):
    bucket = f"{project}.appspot.com"
    stored = requests.post(f"{server.url}/v0/b/{bucket}/o", params={"name": NASTY.replace("\r\n", "")}, data=b"x", headers={"authorization": "Bearer owner"}, timeout=30)
    if stored.status_code != 200:
        pytest.fail(stored.text)
    owner = {"authorization": "Bearer owner"}
    made = requests.post(f"{server.url}/v1/projects/{project}/accounts", json={"displayName": NASTY, "localId": f"u{NASTY[:4]}", "email": "n@example.com"}, headers=owner, timeout=30)
    assert made.status_code == 200, made.text
    requests.patch(f"{server.url}/v1/projects/{project}/databases/(default)/documents/c/d", json={"fields": {}}, headers=owner, timeout=30)
    for arguments in (
        ("storage", "ls", "-r", f"gs://{bucket}"), ("storage", "ls", f"gs://{bucket}"), ("users", "list", "--project", project),
        ("users", "show", "n@example.com", "--project", project), ("storage", "stat", f"gs://{bucket}/\x1b]0;x\x07"),
    ):
        done = servers.run(*arguments, "--data", server.data, check=False)
        said = done.stdout + done.stderr
        assert not [one for one in said if one != "\n" and (ord(one) < 32 or 0x7F <= ord(one) < 0xA0 or ord(one) in range(0x202A, 0x202F) or ord(one) in range(0x2066, 0x206A))], said
        assert "\\u{1b}" in said or "\\u001b" in said, (arguments, said)
        if "show" in arguments:
            assert json.loads(done.stdout)["displayName"] == NASTY
    assert not any(one in server.output for one in "\x1b\x9b\u202e\u2066")


@pytest.mark.parametrize("where", ["file", "folder", "lines", "kind"])
def test_an_import_follows_no_link(server, project, tmp_path, where):
    bucket = f"{project}.appspot.com"
    requests.patch(f"{server.url}/v1/projects/{project}/databases/(default)/documents/c/d", json={"fields": {}}, headers={"authorization": "Bearer owner"}, timeout=30)
    stored = requests.post(f"{server.url}/upload/storage/v1/b/{bucket}/o?uploadType=media&name=big", data=b"x" * 40_000, timeout=30)
    assert stored.status_code == 200
    backup, outside = tmp_path / "backup", tmp_path / "outside"
    servers.run("export", backup, "--project", project, "--include", "files", "--data", server.data)
    [content] = [one for one in (backup / "files/content").rglob("*") if one.is_file()]
    linked = {"file": content, "folder": content.parent, "lines": next((backup / "files").glob("*.jsonl")), "kind": backup / "files"}[where]
    linked.rename(outside)
    linked.symlink_to(outside)
    done = servers.run("import", backup, "--project", project, "--include", "files", "--data", server.data, check=False)
    assert done.returncode != 0 and "is a link" in done.stderr and linked.name in done.stderr, done.stderr
    # The directory itself is the operator's to name.
    linked.unlink()
    outside.rename(linked)
    (tmp_path / "latest").symlink_to(backup)
    done = servers.run("import", tmp_path / "latest", "--project", project, "--include", "files", "--data", server.data)
    assert "documents: 1 read, 1 stored" in done.stdout and "files: 1 read, 1 stored" in done.stdout


# Apps of phones


def test_only_owners_of_the_server_connect_apps_with_its_address(production, owner):
    editor = administrator(production, "editor", "phones@example.org")
    path = f"/console/api/projects/{OWN}/apps"
    app = {"platform": "ios", "bundleId": "org.example.phones"}
    assert editor.renew().call("POST", path, json=app).status_code == 200
    assert editor.call("POST", path, json=app | {"teamId": "A1B2C3D4E5"}).status_code == 403
    android = app | {"platform": "android", "fingerprints": ":".join(["AB"] * 32)}
    assert editor.call("POST", path, json=android).status_code == 403
    another = app | {"bundleId": "org.example.more", "teamId": "A1B2C3D4E5"}
    assert owner.renew().call("POST", path, json=another).status_code == 200
