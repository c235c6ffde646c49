"""Accounts that come in and go out over the API, as the command line of Firebase and the Admin SDKs send them."""

import base64
import hashlib
import hmac

import pytest
import requests

from support import secrets
from support.identity import Identity, Refused

pytestmark = pytest.mark.brasa_only

PASSWORD = "secret12"
SALT = "salt"


@pytest.fixture
def identity(server, project):
    return Identity(server, project)


def text(data):
    return base64.b64encode(data).decode()


def bring_in(identity, users, **parameters):
    """Imports users; returns the errors by index."""
    answer = identity.admin("/accounts:batchCreate", users=users, **parameters)
    return {error.get("index", 0): error["message"] for error in answer.get("error", [])}


def known(identity):
    return {user["localId"] for user in identity.admin("/accounts:batchGet", verb="GET").get("users", [])}


@pytest.mark.parametrize("provider", [{"providerId": "google.com"}, {"rawId": "1"}, {}, {"federatedId": "https://unknown.example/1"}])
def test_one_bad_entry_is_an_error_of_its_own(identity, provider):
    users = [{"localId": "a"}, {"localId": "b", "providerUserInfo": [provider]}, {"localId": "c"}]
    errors = bring_in(identity, users)
    assert list(errors) == [1] and "federatedId or (providerId & rawId) is required" in errors[1]
    assert known(identity) == {"a", "c"}


def test_a_federated_id_is_enough(identity):
    users = [{"localId": "a", "providerUserInfo": [{"federatedId": "https://accounts.google.com/123", "email": "a@x.example"}]}]
    assert bring_in(identity, users) == {}
    [found] = identity.admin("/accounts:lookup", federatedUserId=[{"providerId": "google.com", "rawId": "123"}])["users"]
    assert found["localId"] == "a"


def test_every_kind_of_mistake_stands_alone(identity):
    bad_hash = {"passwordHash": text(b"short"), "salt": text(b"s")}
    users = [
        {"localId": "tenant", "tenantId": "t"}, {"localId": "hash", **bad_hash}, {"localId": "mail", "email": "no address"},
        {"localId": "claims", "customAttributes": "[]"}, {"email": "nobody@x.example"}, {"localId": "good"},
        {"localId": "base", "passwordHash": "***"},
    ]
    errors = bring_in(identity, users, hashAlgorithm="SHA256", rounds=1)
    assert sorted(errors) == [0, 1, 2, 3, 4, 6] and known(identity) == {"good"}
    assert "5 bytes" in errors[1] and "32" in errors[1]


def test_a_hash_without_an_algorithm_is_refused_by_name(identity):
    users = [{"localId": "a", "passwordHash": text(b"x" * 32), "salt": text(b"s")}, {"localId": "b"}]
    errors = bring_in(identity, users)
    assert list(errors) == [0] and errors[0].startswith("INVALID_HASH_ALGORITHM")
    assert known(identity) == {"b"}


def test_the_emulators_accounts_keep_their_passwords_in_development(identity):
    users = [{
        "localId": "a", "email": "a@x.example", "salt": "fakeSaltAbc",
        "passwordHash": secrets.note(f"fakeHash:salt=fakeSaltAbc:password={PASSWORD}"),
    }]
    assert bring_in(identity, users) == {}
    assert identity.client("signInWithPassword", email="a@x.example", password=PASSWORD)["localId"] == "a"


@pytest.mark.parametrize("is_hexadecimal", [False, True])
def test_nodes_own_hashes_sign_in(identity, is_hexadecimal):
    """A keyed hash of password and salt without an order, as firebase-admin's own suite sends it; MD5 as hexadecimal."""
    made = hmac.new(b"key", (PASSWORD + SALT).encode(), hashlib.sha512)
    digest = made.hexdigest().encode() if is_hexadecimal else made.digest()
    users = [{"localId": "a", "email": "a@x.example", "passwordHash": text(digest), "salt": text(SALT.encode())}]
    assert bring_in(identity, users, hashAlgorithm="HMAC_SHA512", signerKey=text(b"key")) == {}
    assert identity.client("signInWithPassword", email="a@x.example", password=PASSWORD)["localId"] == "a"
    made = hashlib.md5((SALT + PASSWORD).encode())
    digest = made.hexdigest().encode() if is_hexadecimal else made.digest()
    users = [{"localId": "b", "email": "b@x.example", "passwordHash": text(digest), "salt": text(SALT.encode())}]
    assert bring_in(identity, users, hashAlgorithm="MD5", rounds=0) == {}
    assert identity.client("signInWithPassword", email="b@x.example", password=PASSWORD)["localId"] == "b"


def test_an_export_has_the_hashes_and_their_parameters_for_administrators(identity, server):
    ana = identity.client("signUp", email="ana@x.example", password=PASSWORD)
    pages = [identity.admin("/accounts:batchGet?maxResults=1000", verb="GET")["users"]]
    # The old form, by which the command line asks too.
    url = f"{server.url}/www.googleapis.com/identitytoolkit/v3/relyingparty/downloadAccount?key={identity.project}"
    body = {"targetProjectId": identity.project, "maxResults": 1000}
    answer = requests.post(url, json=body, headers={"Authorization": "Bearer owner"}, timeout=60)
    assert answer.status_code == 200, answer.text
    pages.append(answer.json()["users"])
    for [user] in pages:
        assert user["localId"] == ana["localId"] and user["salt"] and user["passwordHash"] != "UkVEQUNURUQ="
    parameters = identity.admin("/config", verb="GET", version="v2")["signIn"]["hashConfig"]
    assert parameters["algorithm"] == "SCRYPT" and (parameters["rounds"], parameters["memoryCost"]) == (8, 14)
    # What was exported is taken in again, elsewhere.
    other = Identity(server, f"{identity.project}-2")
    url_safe = str.maketrans("-_", "+/")
    moved = {name: user[name] for name in ("localId", "email")} | {
        name: user[name].translate(url_safe) + "=" * (-len(user[name]) % 4) for name in ("passwordHash", "salt")
    }
    named = {name: parameters[name] for name in ("signerKey", "saltSeparator", "rounds", "memoryCost")}
    assert bring_in(other, [moved], hashAlgorithm=parameters["algorithm"], **named) == {}
    assert other.client("signInWithPassword", email="ana@x.example", password=PASSWORD)["localId"] == ana["localId"]


def test_settings_that_nodes_admin_sdk_sends(identity):
    path = "/config?updateMask=mobileLinksConfig.domain"
    changed = identity.admin(path, verb="PATCH", version="v2", mobileLinksConfig={"domain": "HOSTING_DOMAIN"})
    assert changed["mobileLinksConfig"] == {"domain": "HOSTING_DOMAIN"}
    with pytest.raises(Refused):
        identity.admin(path, verb="PATCH", version="v2", mobileLinksConfig={"domain": "ELSEWHERE"})
    configuration = identity.admin("/config", verb="GET", version="v2")
    assert configuration["mobileLinksConfig"] == {"domain": "HOSTING_DOMAIN"}
    names = {f"{identity.project}.web.app", f"{identity.project}.firebaseapp.com", "localhost"}
    assert names <= set(configuration["authorizedDomains"])
    assert names <= set(identity.get("v1/projects")["authorizedDomains"])
    policy = {
        "passwordPolicyEnforcementState": "ENFORCE",
        "passwordPolicyVersions": [{"customStrengthOptions": {"minPasswordLength": 9}}],
    }
    path = "/config?updateMask=passwordPolicyConfig"
    changed = identity.admin(path, verb="PATCH", version="v2", passwordPolicyConfig=policy)["passwordPolicyConfig"]
    assert changed["passwordPolicyEnforcementState"] == "ENFORCE"
    with pytest.raises(Refused) as refusal:
        identity.client("signUp", email="a@x.example", password="12345678")
    assert refusal.value.code == "WEAK_PASSWORD"
    off = {"passwordPolicyEnforcementState": "OFF"}
    identity.admin(path, verb="PATCH", version="v2", passwordPolicyConfig=off)
    identity.client("signUp", email="a@x.example", password="123456")


def test_an_openid_provider_has_the_response_types_that_it_was_given(identity):
    def make(name, **more):
        return identity.admin(
            f"/oauthIdpConfigs?oauthIdpConfigId=oidc.{name}", version="v2", clientId="web",
            issuer="https://login.example.com", enabled=True, **more,
        )

    assert "responseType" not in make("plain")
    assert make("code", clientSecret="s", responseType={"code": True})["responseType"] == {"code": True}
    assert make("token", responseType={"idToken": True})["responseType"] == {"idToken": True}


def test_a_page_of_users_begins_behind_a_uid(identity):
    for uid in ("u1", "u2", "u3", "u4"):
        identity.admin("/accounts", localId=uid)
    page = identity.admin("/accounts:batchGet?maxResults=2&nextPageToken=u1", verb="GET")
    assert [user["localId"] for user in page["users"]] == ["u2", "u3"] and page["nextPageToken"] == "u3"


def test_cleared_claims_come_back_as_an_empty_object(identity):
    identity.admin("/accounts", localId="a")
    [user] = identity.admin("/accounts:lookup", localId=["a"])["users"]
    assert "customAttributes" not in user
    for claims in ('{"a":1}', "{}"):
        identity.admin("/accounts:update", localId="a", customAttributes=claims)
        [user] = identity.admin("/accounts:lookup", localId=["a"])["users"]
        assert user["customAttributes"] == claims
