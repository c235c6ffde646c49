"""Sign in with Apple on the web, in production: from the client's request to the account, over HTTP.

The address of Apple is fixed in the server. So the tests run in a network of their own (`unshare`), whose `/etc/hosts` leads
`appleid.apple.com` to a stand-in that checks what Apple checks, and `www.googleapis.com` to keys for Google's ID tokens.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

import pytest
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from support import apple as stand_in, secrets, server as servers
from support.certificates import certificate_for
from support.identity import Identity, Refused

pytestmark = pytest.mark.brasa_only

PROJECT = "shop-apple"
INSIDE = "APPLE_TEST_NETWORK"
HOST, PORT = "auth.shop.example", 8443
ORIGIN = f"https://{HOST}:{PORT}"
HANDLER = f"{ORIGIN}/__/auth/handler"
NAMES = ("localhost", "appleid.apple.com", "www.googleapis.com", HOST)
SETUP = 'ip link set lo up && mount --bind "$0" /etc/hosts && exec "$@"'

inside = pytest.mark.skipif(INSIDE not in os.environ, reason="runs in a network of its own, by the test after it")


def namespace(tmp_path, *command):
    """Runs a command where those names lead to this machine and nothing else is reached."""
    hosts = tmp_path / "hosts"
    hosts.write_text("".join(f"127.0.0.1 {name}\n" for name in NAMES))
    return subprocess.run(
        ["unshare", "--map-root-user", "--mount", "--net", "sh", "-c", SETUP, str(hosts), *command],
        env={**os.environ, INSIDE: "1"}, capture_output=True, text=True, timeout=600)


def pem_of(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return certificate_for(list(NAMES), tmp_path_factory.mktemp("apple"))


@pytest.fixture(scope="module")
def apple(certificates):
    made = stand_in.Apple(certificates, HANDLER)
    yield made
    made.close()


@pytest.fixture(scope="module")
def shop(apple, certificates, tmp_path_factory):
    server = servers.Brasa.production(
        tmp_path_factory.mktemp("shop") / "data", certificates, "--port", PORT, "--origin", ORIGIN,
        environment={"BRASA_PROJECT": PROJECT, "BRASA_OUTBOUND_PRIVATE": "true", "BRASA_OUTBOUND_CA": str(certificates / "authority.pem")},
    ).start()
    key = ec.generate_private_key(ec.SECP256R1())
    apple.developer_key = key.public_key()
    codes = {"teamId": apple.team, "keyId": apple.key_id, "privateKey": secrets.note(pem_of(key))}
    change(server, "POST", "?idpId=apple.com", enabled=True, clientId=apple.client, appleSignInConfig={"codeFlowConfig": codes})
    yield server
    assert server.stop() == 0, server.output[-4000:]


def change(server, verb, path, **body):
    admin = Identity(server, PROJECT, verify=server.authority, url=ORIGIN)
    return admin.admin(f"/defaultSupportedIdpConfigs{path}", verb=verb, version="v2", token=server.administrator_key, **body)


@pytest.fixture
def identity(shop):
    return Identity(shop, PROJECT, verify=shop.authority, url=ORIGIN)


@pytest.fixture(autouse=True)
def reset(request):
    yield
    if "apple" in request.fixturenames:
        found = request.getfixturevalue("apple")
        found.changes, found.refusals = {}, []


class Browser:
    """The person's browser, which follows forms and redirections."""

    def __init__(self, certificates):
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = str(certificates / "authority.pem")

    def consent(self, uri, subject, first="Ana", last="Souza", email=None):
        """Signs in at Apple's page; gives the fields that Apple posts, and the address that the server leads on to."""
        page = self.session.post(uri, data={"sub": subject, "first": first, "last": last, **({"email": email} if email else {})}, timeout=30)
        assert page.status_code == 200, page.text
        address, fields = stand_in.posted(page.text)
        secrets.note_message(fields)
        return fields, self.post(address, fields)

    def post(self, address, fields):
        answer = self.session.post(address, data=fields, headers={"Origin": "https://appleid.apple.com"}, allow_redirects=False, timeout=30)
        assert answer.status_code == 303, answer.text
        return urllib.parse.urljoin(address, answer.headers["location"])


@pytest.fixture
def browser(certificates):
    return Browser(certificates)


def begin(identity):
    begun = identity.client("createAuthUri", providerId="apple.com", continueUri=HANDLER)
    secrets.note(begun["sessionId"], "session of a sign-in")
    return begun["authUri"], begun["sessionId"]


def finish(identity, back, session, **more):
    return identity.client("signInWithIdp", requestUri=back, sessionId=session, postBody="providerId=apple.com", returnSecureToken=True, **more)


def refused(code, call, *arguments, **more):
    with pytest.raises(Refused) as refusal:
        call(*arguments, **more)
    assert refusal.value.code == code, refusal.value.message


def account(identity, answer):
    return identity.client("lookup", idToken=answer["idToken"])["users"][0]


@inside
def test_the_name_of_the_first_sign_in_is_kept(identity, browser, apple):
    uri, session = begin(identity)
    asked = stand_in.fields_of(uri)
    assert uri.startswith(f"{stand_in.ISSUER}/auth/authorize?") and asked["response_mode"] == "form_post" and asked["nonce"]
    fields, back = browser.consent(uri, "ana", email="ana@shop.example")
    assert "user" in fields and back.startswith(f"{HANDLER}?")
    made = finish(identity, back, session)
    assert made["isNewUser"] is True and made["displayName"] == "Ana Souza"
    assert (made["firstName"], made["lastName"], made["email"]) == ("Ana", "Souza", "ana@shop.example")
    user = account(identity, made)
    assert user["displayName"] == "Ana Souza" and user["emailVerified"] is True
    uri, session = begin(identity)
    fields, back = browser.consent(uri, "ana", email="ana@shop.example")
    assert "user" not in fields, "Apple tells the name once"
    again = finish(identity, back, session)
    assert again["localId"] == made["localId"] and "isNewUser" not in again
    [linked] = account(identity, again)["providerUserInfo"]
    assert account(identity, again)["displayName"] == linked["displayName"] == "Ana Souza"
    assert apple.refusals == []


@inside
def test_joining_an_account_takes_no_name_from_its_owner(identity, browser, shop):
    email = "dora@shop.example"
    made = identity.client("signUp", email=email, password="correct horse 7", displayName="Dora")
    identity.admin("/accounts:update", token=shop.administrator_key, localId=made["localId"], emailVerified=True)
    uri, session = begin(identity)
    _, back = browser.consent(uri, "dora", first="", last="", email=email)
    joined = finish(identity, back, session)
    assert joined["localId"] == made["localId"] and account(identity, joined)["displayName"] == "Dora"


@inside
@pytest.mark.parametrize("user", [
    "no JSON", "[]", json.dumps({"name": "Ana"}), json.dumps({"name": {"firstName": 7, "lastName": ["x"]}}),
    json.dumps({"name": {"firstName": "x" * 257}}), json.dumps({"name": {"firstName": "A\u0000na", "lastName": "\u009b31m"}}), json.dumps({"name": {"firstName": "  "}}),
])
def test_a_name_that_no_screen_should_show_is_passed_over(identity, browser, user):
    uri, session = begin(identity)
    subject = f"odd-{user[:40]}"
    fields, _ = browser.consent(uri, subject)
    made = finish(identity, browser.post(HANDLER, {**fields, "user": user}), session)
    assert "displayName" not in made and "displayName" not in account(identity, made)


@inside
def test_a_name_beside_the_code_changes_no_identity(identity, browser):
    """The field is the client's to write: nothing but a name is read of it."""
    uri, session = begin(identity)
    fields, _ = browser.consent(uri, "eve")
    forged = json.dumps({"name": {"firstName": "Eve"}, "email": "ana@shop.example", "email_verified": True, "sub": "ana"})
    made = finish(identity, browser.post(HANDLER, {**fields, "user": forged}), session)
    assert made["federatedId"] == "eve" and "email" not in made and made["displayName"] == "Eve"


@inside
def test_apple_refuses_a_secret_of_another_key(identity, browser, apple, shop):
    key = apple.developer_key
    apple.developer_key = ec.generate_private_key(ec.SECP256R1()).public_key()
    try:
        uri, session = begin(identity)
        _, back = browser.consent(uri, "fred")
        refused("INVALID_IDP_RESPONSE", finish, identity, back, session)
        assert len(apple.refusals) == 1 and apple.refusals[0].startswith("secret")
    finally:
        apple.developer_key = key


@inside
@pytest.mark.parametrize("claims, code", [
    ({"nonce": "another"}, "MISSING_OR_INVALID_NONCE"), ({"aud": "com.example.other"}, "INVALID_IDP_RESPONSE"), ({"iss": "https://evil.example"}, "INVALID_IDP_RESPONSE"),
    ({"exp": 1}, "INVALID_IDP_RESPONSE"),
])
def test_a_token_of_another_sign_in_is_refused(identity, browser, apple, claims, code):
    apple.changes = claims
    uri, session = begin(identity)
    _, back = browser.consent(uri, "gil")
    refused(code, finish, identity, back, session)


@inside
def test_a_code_is_of_one_session_and_counts_once(identity, browser, apple):
    uri, session = begin(identity)
    _, other = begin(identity)
    _, back = browser.consent(uri, "hugo")
    refused("INVALID_IDP_RESPONSE", finish, identity, back, other)
    refused("MISSING_SESSION_ID", finish, identity, back, "")
    assert apple.refusals == [], "Apple saw a code that was not the session's"
    finish(identity, back, session)
    refused("INVALID_IDP_RESPONSE", finish, identity, back, session)


@inside
def test_google_tokens_for_an_apps_own_client_sign_in(identity, apple, shop):
    """The audience is an app's client of this project, for as long as the app has it."""
    def sign_in(client):
        token = apple.google_token(client, "g-1")
        return identity.client("signInWithIdp", requestUri="http://localhost", postBody=f"providerId=google.com&id_token={token}", returnSecureToken=True)

    def apps(*arguments, project=PROJECT):
        servers.run("apps", *arguments, "--project", project, "--data", shop.data)

    change(shop, "POST", "?idpId=google.com", enabled=True, clientId="77-web.apps.googleusercontent.com", clientSecret="y")
    own, foreign = "77-ios.apps.googleusercontent.com", "78-ios.apps.googleusercontent.com"
    apps("create", "ios", "--bundle-id", "com.example.shop")
    apps("create", "ios", "--bundle-id", "com.example.shop", "--google-client-id", foreign, project="other-shop")
    assert sign_in("77-web.apps.googleusercontent.com")["isNewUser"] is True
    refused("INVALID_IDP_RESPONSE", sign_in, own)
    apps("client", "com.example.shop", "--google-client-id", own)
    assert sign_in(own)["federatedId"] == "https://accounts.google.com/g-1"
    refused("INVALID_IDP_RESPONSE", sign_in, foreign)
    apps("client", "com.example.shop")
    refused("INVALID_IDP_RESPONSE", sign_in, own)


@pytest.mark.skipif(INSIDE in os.environ, reason="this is the network of its own")
def test_in_a_network_of_its_own(tmp_path):
    """Runs the tests above there."""
    if not shutil.which("unshare") or not shutil.which("ip") or namespace(tmp_path, "true").returncode != 0:
        pytest.skip("this system makes no networks for its users (unshare, ip)")
    done = namespace(tmp_path, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--basetemp", str(tmp_path / "inside"), str(pathlib.Path(__file__)))
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert re.search(r"\b\d\d passed", done.stdout), done.stdout
