"""The installations API, as Google's SDKs for iOS and the web send it."""

import base64
import hashlib
import os
import re

import pytest
import requests

pytestmark = pytest.mark.brasa_only

ID = "cAbc-efghijklmnopqrst_"


class Installations:
    def __init__(self, server, project):
        self.root = f"{server.url}/v1/projects/{project}/installations"
        self.key = {"x-goog-api-key": project}

    def register(self, fid=ID, end="", secret=None, **headers):
        body = {"fid": fid, "authVersion": "FIS_v2", "appId": "1:42:ios:ab", "sdkVersion": "i:12.0.0"}
        if secret is not None:
            body["fidSecret"] = secret
        return requests.post(self.root + end, json=body, headers={**self.key, **headers}, timeout=30)

    def with_token(self, verb, path, token):
        headers = {**self.key, "Authorization": f"FIS_v2 {token}"}
        body = {"installation": {"sdkVersion": "i:12.0.0"}} if verb == "POST" else None
        return requests.request(verb, f"{self.root}/{path}", json=body, headers=headers, timeout=30)


@pytest.fixture
def installations(server, project):
    return Installations(server, project)


@pytest.mark.parametrize("end", ["", "/"])
def test_an_installations_life(installations, project, end):
    made = installations.register(end=end).json()
    fid = made["fid"]
    assert re.fullmatch(r"[cdef][\w-]{21}", fid) and made["name"] == f"projects/{project}/installations/{fid}"
    assert made["refreshToken"] and made["authToken"]["token"]
    assert re.fullmatch(r"\d+s", made["authToken"]["expiresIn"])
    renewed = installations.with_token("POST", f"{fid}/authTokens:generate", made["refreshToken"])
    assert renewed.status_code == 200 and renewed.json()["token"]
    assert re.fullmatch(r"\d+s", renewed.json()["expiresIn"])
    deleted = installations.with_token("DELETE", fid + end, made["refreshToken"])
    assert deleted.status_code == 200 and deleted.json() == {}


def test_an_id_that_is_none_gets_another(installations):
    given = installations.register(fid="x").json()["fid"]
    assert re.fullmatch(r"[cdef][\w-]{21}", given)


def url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def made_of(secret):
    """The id that a secret proves."""
    digest = bytearray(hashlib.sha256(secret).digest()[:17])
    digest[0] = digest[0] & 0x0F | 0x70
    return url(bytes(digest))[:22]


def test_an_id_is_given_to_nobody_who_only_names_it(installations, server):
    made = installations.register().json()
    fid, token = made["fid"], made["refreshToken"]
    assert fid != ID
    other = installations.register(fid).json()
    assert other["fid"] != fid
    for stranger in (other["refreshToken"], "x", ""):
        assert installations.register(fid, Authorization=f"FIS_v2 {stranger}").json()["fid"] != fid
    proof = {"Authorization": f"FIS_v2 {token}"}
    again = installations.register(fid, **proof).json()
    assert again["fid"] == fid and again["refreshToken"] == token
    assert Installations(server, "another").register(fid, **proof).json()["fid"] != fid


def test_an_app_may_make_its_id_of_a_secret(installations):
    secret = os.urandom(32)
    fid = made_of(secret)
    for _ in range(2):
        assert installations.register(fid, secret=url(secret)).json()["fid"] == fid
    for wrong in (url(os.urandom(32)), url(secret[:31]), "", "!", url(secret) * 9):
        assert installations.register(fid, secret=wrong).json()["fid"] != fid
    assert installations.register(ID, secret=url(secret)).json()["fid"] not in (ID, fid)


def test_tokens_are_the_installations_own(installations, server):
    made = installations.register().json()
    fid, token = made["fid"], made["refreshToken"]
    for other in ("", "x", token[:-8] + "AAAAAAAA", token.split(".")[0]):
        assert installations.with_token("POST", f"{fid}/authTokens:generate", other).status_code == 401
    assert installations.with_token("POST", "dAbc-efghijklmnopqrst_/authTokens:generate", token).status_code == 401
    assert Installations(server, "another").with_token("DELETE", fid, token).status_code == 401


def test_a_key_is_needed(installations):
    assert installations.register(**{"x-goog-api-key": ""}).status_code == 403
