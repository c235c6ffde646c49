"""The installations API, as Google's SDKs for iOS and the web send it."""

import re

import pytest
import requests

pytestmark = pytest.mark.brasa_only

ID = "cAbc-efghijklmnopqrst_"


class Installations:
    def __init__(self, server, project):
        self.root = f"{server.url}/v1/projects/{project}/installations"
        self.key = {"x-goog-api-key": project}

    def register(self, fid=ID, end="", **headers):
        body = {"fid": fid, "authVersion": "FIS_v2", "appId": "1:42:ios:ab", "sdkVersion": "i:12.0.0"}
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
    assert made["fid"] == ID and made["name"] == f"projects/{project}/installations/{ID}"
    assert made["refreshToken"] and made["authToken"]["token"]
    assert re.fullmatch(r"\d+s", made["authToken"]["expiresIn"])
    renewed = installations.with_token("POST", f"{ID}/authTokens:generate", made["refreshToken"])
    assert renewed.status_code == 200 and renewed.json()["token"]
    assert re.fullmatch(r"\d+s", renewed.json()["expiresIn"])
    deleted = installations.with_token("DELETE", ID + end, made["refreshToken"])
    assert deleted.status_code == 200 and deleted.json() == {}


def test_an_id_that_is_none_gets_another(installations):
    given = installations.register(fid="x").json()["fid"]
    assert re.fullmatch(r"[cdef][\w-]{21}", given)


def test_tokens_are_the_installations_own(installations, server):
    token = installations.register().json()["refreshToken"]
    for other in ("", "x", token[:-8] + "AAAAAAAA", token.split(".")[0]):
        assert installations.with_token("POST", f"{ID}/authTokens:generate", other).status_code == 401
    assert installations.with_token("POST", "dAbc-efghijklmnopqrst_/authTokens:generate", token).status_code == 401
    assert Installations(server, "another").with_token("DELETE", ID, token).status_code == 401


def test_a_key_is_needed(installations):
    assert installations.register(**{"x-goog-api-key": ""}).status_code == 403
