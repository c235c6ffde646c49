"""Development's unsigned tokens: what Node's Admin SDK requires of them, and what nobody may make of them."""

import base64
import json
import time

import firebase_admin
import jwt
import pytest
import requests
from firebase_admin import auth, credentials
from google.auth.credentials import AnonymousCredentials

from support import rules, server as servers, tokens
from support.identity import Identity, Refused, environment

pytestmark = [pytest.mark.brasa_only, pytest.mark.one_process("several nodes sign their tokens")]

PASSWORD = "correct horse 7"
EVIL = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
OWN = """
service cloud.firestore {
  match /databases/{database}/documents/people/{uid} {
    allow read, write: if request.auth.uid == uid;
  }
}
"""


class Nobody(credentials.Base):
    def get_credential(self):
        return AnonymousCredentials()


@pytest.fixture
def identity(server, project):
    assert rules.put(server, project, OWN).status_code == 200
    return Identity(server, project)


@pytest.fixture
def ana(identity):
    return identity.client("signUp", email="ana@example.com", password=PASSWORD)


def read(server, project, uid, token, **headers):
    path = f"{server.url}/v1/projects/{project}/databases/(default)/documents/people/{uid}"
    headers["Authorization"] = f"Bearer {token}"
    return requests.get(path, headers=headers, timeout=60).status_code


def checked_as_node_does(token, project, issuer):
    """The checks of firebase-admin's `verifyIdToken` and `verifySessionCookie` in emulator mode."""
    header, _, signature = token.split(".")
    header = json.loads(base64.urlsafe_b64decode(header + "=="))
    assert header["alg"] == "none" and header["typ"] == "JWT" and signature == ""
    claims = jwt.decode(token, options={"verify_signature": False})
    assert claims["iss"] == f"{issuer}/{project}" and claims["aud"] == project
    assert 0 < len(claims["sub"]) <= 128 and claims["iat"] <= time.time() + 60 < claims["exp"]
    return claims


def test_tokens_and_cookies_have_the_form_that_nodes_admin_sdk_takes(identity, ana, server):
    claims = checked_as_node_does(ana["idToken"], identity.project, "https://securetoken.google.com")
    assert claims["sub"] == ana["localId"]
    refreshed = identity.refresh(ana["refreshToken"])["id_token"]
    assert checked_as_node_does(refreshed, identity.project, "https://securetoken.google.com")["sub"] == claims["sub"]
    cookie = identity.admin(":createSessionCookie", idToken=ana["idToken"], validDuration="3600")
    checked_as_node_does(cookie["sessionCookie"], identity.project, "https://session.firebase.google.com")
    app = firebase_admin.initialize_app(Nobody(), {"projectId": identity.project}, name=identity.project)
    with environment(FIREBASE_AUTH_EMULATOR_HOST=server.host):
        assert auth.verify_id_token(ana["idToken"], app, check_revoked=True)["uid"] == ana["localId"]
        assert auth.verify_session_cookie(cookie["sessionCookie"], True, app)["uid"] == ana["localId"]
    firebase_admin.delete_app(app)


def test_our_own_services_take_sealed_tokens_alone(identity, ana, server):
    uid, token = ana["localId"], ana["idToken"]
    assert read(server, identity.project, uid, token) == 404
    assert read(server, identity.project, "bia", token) == 403
    header, claims, _ = token.split(".")
    changed = json.loads(base64.urlsafe_b64decode(claims + "==")) | {"sub": "bia", "user_id": "bia"}
    forged = base64.urlsafe_b64encode(json.dumps(changed, separators=(",", ":")).encode()).rstrip(b"=").decode()
    assert read(server, identity.project, "bia", f"{header}.{forged}.") == 401
    # What a test writes by hand, without a session in its header, says who is meant, as in the emulator.
    written = tokens.unsigned(identity.project, "bia")
    assert read(server, identity.project, "bia", written) == 404
    assert read(server, identity.project, "bia", written, **EVIL) == 401
    assert read(server, identity.project, uid, token, **EVIL) == 404


def test_pages_that_development_does_not_trust_need_proofs(identity, ana, server):
    identity.session.headers.update(EVIL)
    assert identity.client("lookup", idToken=ana["idToken"])["users"][0]["localId"] == ana["localId"]
    written = tokens.unsigned(identity.project, ana["localId"])
    for code, name, body in (
        ("INVALID_ID_TOKEN", "lookup", {"idToken": written}),
        ("INVALID_ID_TOKEN", "update", {"idToken": written, "password": "taken over"}),
        ("INVALID_ID_TOKEN", "delete", {"idToken": written}),
        ("INVALID_CUSTOM_TOKEN", "signInWithCustomToken", {"token": json.dumps({"uid": ana["localId"]})}),
        ("OPERATION_NOT_ALLOWED", "signInWithIdp", {
            "requestUri": "http://localhost", "postBody": "providerId=google.com&id_token=" + json.dumps({"sub": "1"}),
        }),
    ):
        with pytest.raises(Refused) as refusal:
            identity.client(name, **body)
        assert refusal.value.code == code, name
    identity.session.headers.clear()
    assert identity.client("lookup", idToken=written)["users"][0]["localId"] == ana["localId"]


def test_a_restart_lets_clients_refresh(tmp_path):
    server = servers.Brasa(tmp_path / "data").start()
    identity = Identity(server, "shop")
    assert rules.put(server, "shop", OWN).status_code == 200
    ana = identity.client("signUp", email="ana@example.com", password=PASSWORD)
    assert read(server, "shop", ana["localId"], ana["idToken"]) == 404
    assert server.stop() == 0
    server = servers.Brasa(tmp_path / "data").start()
    try:
        identity = Identity(server, "shop")
        assert read(server, "shop", ana["localId"], ana["idToken"]) == 401
        # The page that is loaded again asks for its account before it refreshes.
        assert identity.client("lookup", idToken=ana["idToken"])["users"][0]["localId"] == ana["localId"]
        identity.session.headers.update(EVIL)
        with pytest.raises(Refused) as refusal:
            identity.client("lookup", idToken=ana["idToken"])
        assert refusal.value.code == "TOKEN_EXPIRED"
        fresh = identity.refresh(ana["refreshToken"])["id_token"]
        assert read(server, "shop", ana["localId"], fresh) == 404
    finally:
        assert server.stop() == 0
