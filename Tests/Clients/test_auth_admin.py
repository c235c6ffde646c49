"""Firebase's Admin SDK on accounts: in development by its emulator variable, in production with a
key file of ours and Google's host names leading to our server, as docs/accounts.md says."""

import base64
import datetime
import hashlib
import json
import time

import firebase_admin
import pytest
import requests
from firebase_admin import auth, credentials, exceptions, tenant_mgt
from google.auth.credentials import AnonymousCredentials

from support import secrets, server as servers
from support.certificates import certificate_for
from support.identity import GOOGLE_HOSTS, Identity, Refused, code_of, environment, google_hosts_at

pytestmark = pytest.mark.brasa_only

PASSWORD = "correct horse 7"
PROJECT = "shop-production"


class Nobody(credentials.Base):
    """No credential: the emulator variable makes the SDK send its own."""

    def get_credential(self):
        return AnonymousCredentials()


class Development:
    is_production = False

    def __init__(self, server, project):
        self.app = firebase_admin.initialize_app(Nobody(), {"projectId": project}, name=project)
        self.identity = Identity(server, project)
        self.around = environment(FIREBASE_AUTH_EMULATOR_HOST=server.host)


class Production:
    is_production = True
    numbers = iter(range(10_000))

    def __init__(self, production):
        server, key_file, self.authority = production
        self.identity = Identity(
            server, PROJECT, verify=str(self.authority), url=f"https://localhost:{server.port}"
        )
        self.app = firebase_admin.initialize_app(
            credentials.Certificate(str(key_file)), name=f"production-{next(self.numbers)}"
        )
        self.around = environment(
            FIREBASE_AUTH_EMULATOR_HOST=None, REQUESTS_CA_BUNDLE=self.authority
        )
        self.hosts = google_hosts_at(server.port)


@pytest.fixture(scope="module")
def production(tmp_path_factory):
    """A production server whose certificate has Google's names too, and a key file of ours."""
    directory = tmp_path_factory.mktemp("accounts")
    certificate_for(["localhost", *GOOGLE_HOSTS], directory)
    server = servers.Brasa.production(
        directory / "data", directory, "--origin", "https://localhost:8443",
        environment={"BRASA_PROJECT": PROJECT},
    ).start()
    key_file = directory / "key.json"
    servers.run(
        "keys", "create", "backend", "--role", "admin", "--project", PROJECT, "--out", key_file,
        "--origin", "https://oauth2.googleapis.com", "--data", server.data,
    )
    secrets.note_file(key_file)
    yield server, key_file, directory / "authority.pem"
    code = server.stop()
    assert code == 0, server.output[-4000:]


@pytest.fixture(params=["development", "production"])
def deployment(request, server, project):
    """Where a test runs: with one project of its own in development, with the one in production."""
    if request.param == "development":
        made = Development(server, project)
        with made.around:
            yield made
    else:
        made = Production(request.getfixturevalue("production"))
        with made.around, made.hosts:
            yield made
            for user in auth.list_users(app=made.app).iterate_all():
                auth.delete_user(user.uid, app=made.app)
    firebase_admin.delete_app(made.app)


@pytest.fixture
def app(deployment):
    return deployment.app


def test_a_user_by_every_key(app):
    made = auth.create_user(
        uid="ana", email="Ana@Example.com", password=PASSWORD, display_name="Ana",
        phone_number="+5511987654321", photo_url="https://x.example/a.png", email_verified=True,
        app=app,
    )
    assert (made.uid, made.email, made.email_verified) == ("ana", "ana@example.com", True)
    assert made.display_name == "Ana" and made.photo_url == "https://x.example/a.png"
    assert made.user_metadata.creation_timestamp and not made.disabled
    for found in (
        auth.get_user("ana", app=app), auth.get_user_by_email("ana@example.com", app=app),
        auth.get_user_by_phone_number("+5511987654321", app=app),
    ):
        assert found.uid == "ana"
        assert {p.provider_id for p in found.provider_data} == {"password", "phone"}
    several = auth.get_users(
        [auth.UidIdentifier("ana"), auth.EmailIdentifier("no@example.com"),
         auth.ProviderIdentifier("google.com", "g1")], app=app,
    )
    assert [user.uid for user in several.users] == ["ana"] and len(several.not_found) == 2


def test_refusals_have_the_sdks_types(app):
    auth.create_user(uid="ana", email="ana@example.com", phone_number="+5511987654321", app=app)
    with pytest.raises(auth.UidAlreadyExistsError):
        auth.create_user(uid="ana", app=app)
    with pytest.raises(auth.EmailAlreadyExistsError):
        auth.create_user(email="ANA@example.com", app=app)
    with pytest.raises(auth.PhoneNumberAlreadyExistsError):
        auth.create_user(phone_number="+5511987654321", app=app)
    with pytest.raises(auth.UserNotFoundError):
        auth.get_user("nobody", app=app)
    with pytest.raises(auth.UserNotFoundError):
        auth.update_user("nobody", display_name="x", app=app)
    with pytest.raises(auth.UserNotFoundError):
        auth.delete_user("nobody", app=app)


def test_changes(app):
    auth.create_user(uid="ana", email="ana@example.com", display_name="Ana", app=app)
    changed = auth.update_user(
        "ana", email="bia@example.com", phone_number="+5511987654321", disabled=True, app=app
    )
    assert (changed.email, changed.phone_number, changed.disabled) == (
        "bia@example.com", "+5511987654321", True
    )
    changed = auth.update_user(
        "ana", display_name=auth.DELETE_ATTRIBUTE, phone_number=auth.DELETE_ATTRIBUTE,
        disabled=False, app=app,
    )
    assert (changed.display_name, changed.phone_number, changed.disabled) == (None, None, False)


def test_claims(deployment, app):
    auth.create_user(uid="ana", email="ana@example.com", password=PASSWORD, app=app)
    auth.set_custom_user_claims("ana", {"role": "editor", "level": 3}, app=app)
    assert auth.get_user("ana", app=app).custom_claims == {"role": "editor", "level": 3}
    session = deployment.identity.client(
        "signInWithPassword", email="ana@example.com", password=PASSWORD
    )
    token = auth.verify_id_token(session["idToken"], app=app)
    assert (token["uid"], token["role"], token["level"]) == ("ana", "editor", 3)
    auth.set_custom_user_claims("ana", None, app=app)
    assert not auth.get_user("ana", app=app).custom_claims
    for claims in ({"iss": "me"}, {"a": "x" * 1001}):
        with pytest.raises((ValueError, exceptions.FirebaseError)):
            auth.set_custom_user_claims("ana", claims, app=app)


def test_custom_tokens_and_verification(deployment, app):
    token = auth.create_custom_token("caio", {"plan": "gold"}, app=app)
    session = deployment.identity.client("signInWithCustomToken", token=token.decode())
    found = auth.verify_id_token(session["idToken"], check_revoked=True, app=app)
    assert (found["uid"], found["plan"]) == ("caio", "gold")
    assert found["firebase"]["sign_in_provider"] == "custom"


def test_session_cookies(deployment, app):
    auth.create_user(uid="ana", email="ana@example.com", password=PASSWORD, app=app)
    session = deployment.identity.client(
        "signInWithPassword", email="ana@example.com", password=PASSWORD
    )
    cookie = auth.create_session_cookie(
        session["idToken"], expires_in=datetime.timedelta(days=5), app=app
    )
    secrets.note(cookie)
    found = auth.verify_session_cookie(cookie, check_revoked=True, app=app)
    assert found["uid"] == "ana" and found["iss"].startswith("https://session.firebase.google.com/")
    assert found["exp"] - found["iat"] == 5 * 86_400
    with pytest.raises(Exception):
        auth.create_session_cookie("nonsense", expires_in=3600, app=app)


def test_revocation_and_disabling_end_tokens(deployment, app):
    auth.create_user(uid="ana", email="ana@example.com", password=PASSWORD, app=app)

    def sign_in():
        return deployment.identity.client(
            "signInWithPassword", email="ana@example.com", password=PASSWORD
        )

    def refused(code, call):
        with pytest.raises(Refused) as refusal:
            call()
        assert refusal.value.code == code

    session = sign_in()
    auth.revoke_refresh_tokens("ana", app=app)
    refused("TOKEN_EXPIRED", lambda: deployment.identity.refresh(session["refreshToken"]))
    refused("TOKEN_EXPIRED", lambda: deployment.identity.client("lookup", idToken=session["idToken"]))
    session = sign_in()
    auth.verify_id_token(session["idToken"], check_revoked=True, app=app)
    auth.update_user("ana", disabled=True, app=app)
    with pytest.raises(auth.UserDisabledError):
        auth.verify_id_token(session["idToken"], check_revoked=True, app=app)
    refused("USER_DISABLED", sign_in)
    refused("USER_DISABLED", lambda: deployment.identity.refresh(session["refreshToken"]))


def test_listing(app):
    for number in range(25):
        auth.create_user(uid=f"u{number:02d}", app=app)
    page = auth.list_users(max_results=10, app=app)
    assert len(page.users) == 10 and page.has_next_page
    assert [u.uid for u in page.iterate_all()] == [f"u{n:02d}" for n in range(25)]
    result = auth.delete_users([f"u{n:02d}" for n in range(20)], app=app)
    assert (result.success_count, result.failure_count) == (20, 0)
    assert len(list(auth.list_users(app=app).iterate_all())) == 5


SIGNER = "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
HASH = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="


def test_imported_scrypt_users_sign_in(deployment, app):
    users = [
        auth.ImportUserRecord(
            uid="old", email="old@example.com", email_verified=True, display_name="Old",
            password_hash=base64.b64decode(HASH), password_salt=base64.b64decode("42xEC+ixf3L2lw=="),
            custom_claims={"from": "elsewhere"},
            provider_data=[auth.UserProvider(uid="g-1", provider_id="google.com", email="old@gmail.example")],
        ),
        auth.ImportUserRecord(uid="plain", email="plain@example.com"),
    ]
    scrypt = auth.UserImportHash.scrypt(
        key=base64.b64decode(SIGNER), salt_separator=base64.b64decode("Bw=="), rounds=8, memory_cost=14
    )
    result = auth.import_users(users, hash_alg=scrypt, app=app)
    assert (result.success_count, result.failure_count) == (2, 0), result.errors
    with pytest.raises(Refused):
        deployment.identity.client("signInWithPassword", email="old@example.com", password="user2password")
    for _ in range(2):
        session = deployment.identity.client(
            "signInWithPassword", email="old@example.com", password="user1password"
        )
    assert session["localId"] == "old"
    found = auth.get_user("old", app=app)
    assert found.custom_claims == {"from": "elsewhere"}
    assert {p.provider_id for p in found.provider_data} == {"google.com", "password"}


def test_other_hashes_are_imported(deployment, app):
    password, salt = b"some password", b"na"
    kinds = {
        "sha": (auth.UserImportHash.sha256(rounds=1), hashlib.sha256(salt + password).digest()),
        "pbkdf2": (
            auth.UserImportHash.pbkdf2_sha256(rounds=1000),
            hashlib.pbkdf2_hmac("sha256", password, salt, 1000),
        ),
        "standard": (
            auth.UserImportHash.standard_scrypt(
                memory_cost=1024, parallelization=2, block_size=8, derived_key_length=64
            ),
            hashlib.scrypt(password, salt=salt, n=1024, r=8, p=2, dklen=64),
        ),
    }
    for name, (algorithm, digest) in kinds.items():
        record = auth.ImportUserRecord(
            uid=name, email=f"{name}@example.com", password_hash=digest, password_salt=salt
        )
        assert auth.import_users([record], hash_alg=algorithm, app=app).failure_count == 0
        session = deployment.identity.client(
            "signInWithPassword", email=f"{name}@example.com", password=password.decode()
        )
        assert session["localId"] == name
    greedy = auth.UserImportHash.pbkdf2_sha256(rounds=120_000)
    greedy._data["rounds"] = 2_000_000_000
    record = auth.ImportUserRecord(uid="x", password_hash=b"12345678", password_salt=b"1")
    with pytest.raises(exceptions.FirebaseError):
        auth.import_users([record], hash_alg=greedy, app=app)


def test_links(deployment, app):
    auth.create_user(uid="ana", email="ana@example.com", password=PASSWORD, app=app)
    settings = auth.ActionCodeSettings(url="http://localhost/next", handle_code_in_app=True)
    reset = auth.generate_password_reset_link("ana@example.com", settings, app=app)
    assert "mode=resetPassword" in reset and "continueUrl=http%3A%2F%2Flocalhost%2Fnext" in reset
    if deployment.is_production:
        assert reset.startswith("https://localhost:8443/__/auth/action?")
    deployment.identity.client("resetPassword", oobCode=code_of(reset), newPassword="by the link 5")
    verify = auth.generate_email_verification_link("ana@example.com", app=app)
    deployment.identity.client("update", oobCode=code_of(verify))
    assert auth.get_user("ana", app=app).email_verified
    enter = auth.generate_sign_in_with_email_link("ana@example.com", settings, app=app)
    session = deployment.identity.client(
        "signInWithEmailLink", email="ana@example.com", oobCode=code_of(enter)
    )
    assert session["localId"] == "ana"
    with pytest.raises(auth.EmailNotFoundError):
        auth.generate_password_reset_link("no@example.com", app=app)
    if deployment.is_production:
        bad = auth.ActionCodeSettings(url="https://evil.example/")
        with pytest.raises(exceptions.FirebaseError):
            auth.generate_password_reset_link("ana@example.com", bad, app=app)


def test_provider_configurations(app):
    made = auth.create_oidc_provider_config(
        "oidc.corp", client_id="web", issuer="https://login.example.com", display_name="Corp",
        enabled=True, app=app,
    )
    assert made.provider_id == "oidc.corp" and made.enabled and made.issuer == "https://login.example.com"
    changed = auth.update_oidc_provider_config(
        "oidc.corp", display_name=None, enabled=False, client_id="other", app=app
    )
    assert (changed.client_id, changed.enabled, changed.display_name) == ("other", False, "Corp")
    changed = auth.update_oidc_provider_config("oidc.corp", display_name=auth.DELETE_ATTRIBUTE, app=app)
    assert changed.display_name is None
    for enabled in (True, False):
        with pytest.raises(exceptions.FirebaseError, match="OPERATION_NOT_ALLOWED.*Sign-in by SAML .* oidc.NAME"):
            auth.create_saml_provider_config(
                "saml.corp", idp_entity_id="idp", sso_url="https://sso.example.com", x509_certificates=["C"],
                rp_entity_id="rp", callback_url="https://app.example.com/cb", enabled=enabled, app=app,
            )
    with pytest.raises(auth.ConfigurationNotFoundError):
        auth.update_saml_provider_config("saml.corp", enabled=True, app=app)
    assert [c.provider_id for c in auth.list_oidc_provider_configs(app=app).iterate_all()] == ["oidc.corp"]
    assert list(auth.list_saml_provider_configs(app=app).iterate_all()) == []
    auth.delete_oidc_provider_config("oidc.corp", app=app)
    with pytest.raises(auth.ConfigurationNotFoundError):
        auth.get_oidc_provider_config("oidc.corp", app=app)


def test_tenants_are_refused_by_name(deployment, app):
    if deployment.is_production:
        with pytest.raises(exceptions.FirebaseError, match="UNSUPPORTED_TENANT_OPERATION"):
            tenant_mgt.create_tenant("branch", app=app)
        return
    # The SDK's tenant module does not know the emulator.
    with pytest.raises(Refused) as refusal:
        deployment.identity.admin("/tenants", version="v2", displayName="branch")
    assert refusal.value.code == "UNSUPPORTED_TENANT_OPERATION"


ADMINISTRATION = [
    ("POST", "v1", "/accounts", {"email": "x@example.com"}),
    ("POST", "v1", "/accounts:lookup", {"localId": ["ana"]}),
    ("POST", "v1", "/accounts:update", {"localId": "ana", "disableUser": True}),
    ("POST", "v1", "/accounts:delete", {"localId": "ana"}),
    ("POST", "v1", "/accounts:query", {}),
    ("POST", "v1", "/accounts:batchCreate", {"users": [{"localId": "x"}]}),
    ("POST", "v1", "/accounts:batchDelete", {"localIds": ["ana"], "force": True}),
    ("GET", "v1", "/accounts:batchGet", None),
    ("POST", "v1", "/accounts:sendOobCode",
     {"requestType": "PASSWORD_RESET", "email": "a@example.com", "returnOobLink": True}),
    ("POST", "v1", ":createSessionCookie", {"idToken": "x"}),
    ("GET", "v2", "/config", None),
    ("PATCH", "v2", "/config?updateMask=signIn", {"signIn": {"anonymous": {"enabled": True}}}),
    ("GET", "v2", "/oauthIdpConfigs", None),
    ("POST", "v2", "/oauthIdpConfigs?oauthIdpConfigId=oidc.x", {}),
    ("GET", "v2", "/inboundSamlConfigs", None),
    ("GET", "v2", "/defaultSupportedIdpConfigs", None),
]


@pytest.mark.parametrize("verb, version, path, body", ADMINISTRATION)
def test_administration_is_for_administrators(deployment, app, verb, version, path, body):
    user = deployment.identity.client("signUp", email="user@example.com", password=PASSWORD)
    tokens = [None, user["idToken"], "nonsense"] + (["owner"] if deployment.is_production else [])
    for token in tokens:
        for prefix in ("/identitytoolkit.googleapis.com", ""):
            answer = deployment.identity.session.request(
                verb, f"{deployment.identity.base}{prefix}/{version}/projects/{deployment.identity.project}{path}",
                json=body, headers={"Authorization": f"Bearer {token}"} if token else {}, timeout=30,
            )
            assert answer.status_code in (401, 403), f"{token}: {answer.status_code} {answer.text}"
            assert "user@example.com" not in answer.text


def test_published_keys_verify_tokens(deployment, app):
    import jwt

    if not deployment.is_production:
        pytest.skip("development's tokens are unsigned: test_auth_unsigned.py")
    session = deployment.identity.client("signUp", email="ana@example.com", password=PASSWORD)
    base = deployment.identity.base
    path = "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
    keys = deployment.identity.session.get(base + path, timeout=30)
    assert "max-age=" in keys.headers["Cache-Control"]
    header = jwt.get_unverified_header(session["idToken"])
    assert header["alg"] == "RS256"
    [key] = [key for key in keys.json()["keys"] if key["kid"] == header["kid"]]
    jwt.decode(
        session["idToken"], jwt.PyJWK(key).key, algorithms=["RS256"],
        audience=deployment.identity.project,
        issuer=f"https://securetoken.google.com/{deployment.identity.project}",
    )
    for path in (
        "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com",
        "/identitytoolkit/v3/relyingparty/publicKeys",
    ):
        found = deployment.identity.session.get(base + path, timeout=30).json()
        assert found[header["kid"]].startswith("-----BEGIN CERTIFICATE-----")
    discovery = deployment.identity.session.get(
        f"{base}/{deployment.identity.project}/.well-known/openid-configuration", timeout=30
    ).json()
    assert discovery["issuer"] == f"https://securetoken.google.com/{deployment.identity.project}"


def test_production_is_strict(production):
    """No unsigned token, no emulator route, no project that nobody set up, no unlimited guessing."""
    server, _, authority = production
    identity = Identity(server, PROJECT, verify=str(authority), url=f"https://localhost:{server.port}")
    for verb, path in (("DELETE", "accounts"), ("GET", "oobCodes"), ("GET", "config")):
        answer = identity.session.request(
            verb, f"{identity.base}/emulator/v1/projects/{PROJECT}/{path}", timeout=30
        )
        assert answer.status_code in (401, 403, 404)
    now = int(time.time())
    import jwt
    unsigned = jwt.encode(
        {"iss": f"https://securetoken.google.com/{PROJECT}", "aud": PROJECT, "sub": "ana",
         "iat": now, "exp": now + 3600, "auth_time": now, "firebase": {}}, None, algorithm="none",
    )
    with pytest.raises(Refused) as refusal:
        identity.client("lookup", idToken=unsigned)
    assert refusal.value.code == "INVALID_ID_TOKEN"
    for token in ('{"uid":"ana"}', unsigned):
        with pytest.raises(Refused) as refusal:
            identity.client("signInWithCustomToken", token=token)
        assert refusal.value.code == "INVALID_CUSTOM_TOKEN"
    with pytest.raises(Refused) as refusal:
        identity.client("signUp", returnSecureToken=True)
    assert refusal.value.code == "ADMIN_ONLY_OPERATION"
    with pytest.raises(Refused) as refusal:
        identity.client("signUp", email="w@example.com", password="12345")
    assert refusal.value.code == "WEAK_PASSWORD"
    with pytest.raises(Refused) as refusal:
        identity.client("sendOobCode", requestType="PASSWORD_RESET", email="a@example.com")
    assert refusal.value.code == "OPERATION_NOT_ALLOWED"
