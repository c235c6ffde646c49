"""Service accounts of ours in production: Google's clients with a key file that `brasa keys` made."""

import base64
import json
import stat
import subprocess
import sys
import textwrap
import time

import jwt
import pytest
import requests

from support import secrets, server as servers

pytestmark = pytest.mark.brasa_only

PROJECT = servers.PROJECT
FIRESTORE = "https://firestore.googleapis.com/"


def make_key(production, directory, name="backend"):
    """A key file, made by the running server."""
    file = directory / f"{name}.json"
    servers.run(
        "keys", "create", name, "--role", "admin", "--project", PROJECT, "--out", file,
        "--origin", f"https://localhost:{production.port}", "--data", production.data,
    )
    return file


@pytest.fixture(scope="module")
def key_file(production, tmp_path_factory):
    return make_key(production, tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="module")
def account(key_file):
    secrets.note_file(key_file)
    return json.loads(key_file.read_text())


def claims(account, **changes):
    now = int(time.time())
    made = {
        "iss": account["client_email"], "sub": account["client_email"], "aud": FIRESTORE,
        "iat": now, "exp": now + 3600,
    }
    made.update(changes)
    return {name: value for name, value in made.items() if value is not None}


def sign(account, payload, headers=None):
    token = jwt.encode(
        payload, account["private_key"], algorithm="RS256",
        headers={"kid": account["private_key_id"], **(headers or {})},
    )
    return secrets.note(token, "a service account's token")


def read(production, authority, token, scheme="https"):
    """The status of a read of a document that does not exist: 404 when it may be read."""
    path = f"/v1/projects/{PROJECT}/databases/(default)/documents/products/none"
    return requests.get(
        f"{scheme}://localhost:{production.port}{path}",
        headers={"Authorization": f"Bearer {token}"}, verify=str(authority), timeout=30,
    ).status_code


def test_the_key_file_is_for_its_owner_alone(key_file, account, production):
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert account["type"] == "service_account"
    assert account["project_id"] == PROJECT
    assert account["token_uri"] == f"https://localhost:{production.port}/token"
    again = servers.run(
        "keys", "create", "backend", "--role", "admin", "--project", PROJECT, "--out", key_file,
        "--data", production.data, check=False,
    )
    assert again.returncode != 0
    assert json.loads(key_file.read_text()) == account


CLIENT = textwrap.dedent(
    """
    import json, sys
    from google.cloud import firestore_v1
    from google.cloud.firestore_v1.services.firestore import FirestoreClient
    from google.oauth2 import service_account

    credentials = service_account.Credentials.from_service_account_file(sys.argv[2])
    client = FirestoreClient(
        credentials=credentials, client_options={"api_endpoint": f"localhost:{sys.argv[1]}"}
    )
    root = f"projects/{credentials.project_id}/databases/(default)/documents"
    client.create_document(
        request={
            "parent": root, "collection_id": "products", "document_id": "one",
            "document": {"fields": {"price": {"double_value": 2.5}}},
        }
    )
    found = client.get_document(request={"name": f"{root}/products/one"})
    print(json.dumps(found.fields["price"].double_value))
    """
)


def test_googles_client_signs_its_own_tokens(production, authority, key_file):
    environment = servers.clean_environment({"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str(authority)})
    done = subprocess.run(
        [sys.executable, "-c", CLIENT, str(production.port), str(key_file)],
        capture_output=True, text=True, env=environment, timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == 2.5


def test_a_good_token_opens_and_others_do_not(production, authority, account):
    assert read(production, authority, sign(account, claims(account))) == 404
    scope = "https://www.googleapis.com/auth/cloud-platform"
    assert read(production, authority, sign(account, claims(account, aud=None, scope=scope))) == 404


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "https://storage.example.com/"},
        {"aud": None},
        {"aud": [FIRESTORE]},
        {"iss": "other@shop.iam.brasa"},
        {"sub": "other@shop.iam.brasa"},
        {"sub": None},
        {"iat": 1_000_000_000, "exp": 1_000_003_600},
        {"exp": None},
        {"exp": int(time.time()) + 90_000},
        {"iat": int(time.time()) + 5_000, "exp": int(time.time()) + 8_000},
        {"nbf": int(time.time()) + 5_000},
    ],
    ids=lambda changes: "-".join(changes),
)
def test_claims_that_are_wrong_are_refused(production, authority, account, changes):
    assert read(production, authority, sign(account, claims(account, **changes))) == 401


def test_keys_and_algorithms_that_are_wrong_are_refused(production, authority, account):
    payload = claims(account)
    unknown = jwt.encode(
        payload, account["private_key"], algorithm="RS256", headers={"kid": "0" * 40}
    )
    symmetric = jwt.encode(
        payload, account["private_key_id"], algorithm="HS256",
        headers={"kid": account["private_key_id"]},
    )
    unsigned = jwt.encode(payload, None, algorithm="none")
    critical = sign(account, payload, {"crit": ["exp"]})
    good = sign(account, payload)
    for token in [unknown, symmetric, unsigned, critical, good[:-4] + "AAAA", good + "x"]:
        assert read(production, authority, token) == 401


def exchange(production, authority, path, **form):
    return requests.post(
        f"https://localhost:{production.port}{path}", data=form, verify=str(authority), timeout=30,
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    )


@pytest.mark.parametrize("path", ["/oauth2/v4/token", "/oauth2/v3/token", "/www.googleapis.com/oauth2/v4/token"])
def test_the_routes_of_nodes_clients_and_the_command_line(production, authority, account, path):
    grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    scope = "https://www.googleapis.com/auth/cloud-platform"
    assertion = sign(account, claims(account, aud="https://www.googleapis.com/oauth2/v4/token", scope=scope))
    made = exchange(production, authority, path, grant_type=grant, assertion=assertion)
    assert made.status_code == 200 and made.json()["token_type"] == "Bearer"
    assert read(production, authority, secrets.note(made.json()["access_token"])) == 404
    # Sessions of Google accounts are not known here, and the refusal says what to do.
    refused = exchange(production, authority, path, grant_type="refresh_token", refresh_token="1//x", client_id="c")
    assert refused.status_code == 400 and refused.json()["error"] == "unsupported_grant_type"
    assert "brasa keys create" in refused.json()["error_description"]


def test_blobs_are_signed_for_administrators(production, authority, account):
    email = account["client_email"]

    def sign_blob(token, email=email, payload=b"to sign", **more):
        return requests.post(
            f"https://localhost:{production.port}/iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/{email}:signBlob",
            json={"payload": base64.b64encode(payload).decode(), **more}, verify=str(authority), timeout=60,
            headers={"Authorization": f"Bearer {token}"} if token else {},
        )

    token = sign(account, claims(account))
    signed = sign_blob(token, delegates=[])
    assert signed.status_code == 200, signed.text
    again = sign_blob(token)
    assert again.json() == signed.json() and signed.json()["keyId"] != account["private_key_id"]
    assert len(base64.b64decode(signed.json()["signedBlob"])) == 256
    assert sign_blob(token, email="nobody@shop.iam.brasa").status_code == 404
    assert sign_blob(token, payload=b"").status_code == 400
    for nobody in (None, "nonsense", "owner"):
        assert sign_blob(nobody).status_code in (401, 403)
    # As Node's SDK makes custom tokens with it; and it opens nothing itself.
    def token_of(audience, **more):
        header = base64.urlsafe_b64encode(b'{"alg":"RS256","typ":"JWT"}').rstrip(b"=")
        body = claims(account, aud=audience, **more)
        text = header + b"." + base64.urlsafe_b64encode(json.dumps(body).encode()).rstrip(b"=")
        signature = base64.b64decode(sign_blob(token, payload=text).json()["signedBlob"])
        return secrets.note((text + b"." + base64.urlsafe_b64encode(signature).rstrip(b"=")).decode())

    custom = token_of(
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit", uid="ana",
    )
    signed_in = requests.post(
        f"https://localhost:{production.port}/v1/accounts:signInWithCustomToken?key={PROJECT}",
        json={"token": custom}, verify=str(authority), timeout=60,
    )
    assert signed_in.status_code == 200, signed_in.text
    secrets.note_message(signed_in.json())
    assert read(production, authority, token_of(FIRESTORE)) == 401
    listed = servers.run("keys", "list", "--data", production.data).stdout
    assert f"{signed.json()['keyId']}  {email}" in listed


def test_a_revoked_key_stops_at_once(production, authority, tmp_path):
    file = make_key(production, tmp_path, "leaked")
    leaked = json.loads(file.read_text())
    token = sign(leaked, claims(leaked))
    session = requests.Session()
    url = (
        f"https://localhost:{production.port}"
        f"/v1/projects/{PROJECT}/databases/(default)/documents/products/none"
    )
    headers = {"Authorization": f"Bearer {token}"}
    assert session.get(url, headers=headers, timeout=30, verify=str(authority)).status_code == 404
    servers.run("keys", "revoke", leaked["private_key_id"], "--data", production.data)
    assert session.get(url, headers=headers, timeout=30, verify=str(authority)).status_code == 401
    listed = servers.run("keys", "list", "--data", production.data).stdout
    assert leaked["private_key_id"] not in listed


def test_no_private_key_reaches_the_log(production, account):
    secret = account["private_key"].splitlines()[5]
    assert secret not in production.output
