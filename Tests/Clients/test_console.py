"""The console's routes, without a browser: files, policy, who may call."""

import gzip
import re

import pytest
import requests

from support import server as servers

pytestmark = pytest.mark.brasa_only

POLICY = {
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob: data:", "media-src blob:", "connect-src 'self'",
    "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
}

DEVICES = {"accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "hid", "magnetometer", "microphone", "midi", "payment", "serial", "usb"}

ADDRESSES = [
    "/console", "/console/shop", "/console/shop/overview", "/console/shop/firestore/-default-/data/users/ada", "/console/shop/rules", "/console/shop/users/u1",
    "/project/shop", "/project/shop/firestore/databases/-default-/data/~2Fusers~2Fada", "/u/0/project/shop/authentication/users",
    "/v1/r/project/shop/firestore/indexes", "/v1/r/project/shop/firestore/databases/eu/indexes",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_address_is_the_page(server, address):
    answer = requests.get(server.url + address, timeout=30)
    assert answer.status_code == 200 and answer.text.startswith("<!doctype html>")
    assert set(answer.headers["content-security-policy"].split("; ")) == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert set(answer.headers["permissions-policy"].split(", ")) == {f"{device}=()" for device in DEVICES}
    assert "strict-transport-security" not in answer.headers
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in answer.headers
    assert "set-cookie" not in answer.headers
    # Nothing of the address comes back as text.
    assert "shop" not in answer.text and "ada" not in answer.text


def test_the_page_is_asked_for_again_and_its_files_are_kept(server):
    page = requests.get(f"{server.url}/console", timeout=30)
    assert page.headers["cache-control"] == "no-cache"
    again = requests.get(f"{server.url}/console", headers={"if-none-match": page.headers["etag"]}, timeout=30)
    assert again.status_code == 304 and again.content == b""
    for path in re.findall(r'(?:href|src)="([^"]+)"', page.text):
        plain = requests.get(server.url + path, headers={"accept-encoding": "identity"}, timeout=30)
        assert plain.status_code == 200 and "immutable" in plain.headers["cache-control"], path
        assert "content-encoding" not in plain.headers
        raw = requests.get(server.url + path, headers={"accept-encoding": "gzip"}, stream=True, timeout=30)
        body = raw.raw.read(decode_content=False)
        if raw.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        assert body == plain.content
    old = requests.get(re.sub(r"/__/console/\w+/", "/__/console/0000000000000000/", server.url + path), timeout=30)
    assert old.status_code == 404


@pytest.mark.parametrize("path", ["index.html", "../vars.css", "%2e%2e/vars.css", "base", "nothing.js", "base//dom.js"])
def test_nothing_else_is_a_file(server, path):
    page = requests.get(f"{server.url}/console", timeout=30)
    base = re.search(r"/__/console/\w+", page.text).group(0)
    answer = requests.Session().send(requests.Request("GET", server.url + base).prepare(), timeout=30)
    assert answer.status_code == 404
    prepared = requests.Request("GET", server.url).prepare()
    prepared.url = f"{server.url}{base}/{path}"
    assert requests.Session().send(prepared, timeout=30).status_code == 404


@pytest.mark.parametrize("route", ["session", "projects"])
def test_pages_of_other_origins_are_refused(server, route):
    url = f"{server.url}/console/api/{route}"
    owner = {"authorization": "Bearer owner"}
    assert requests.get(url, headers=owner, timeout=30).status_code == 200
    assert requests.get(url, headers=owner | {"sec-fetch-site": "same-origin"}, timeout=30).status_code == 200
    assert requests.get(url, headers=owner | {"origin": server.url}, timeout=30).status_code == 200
    for headers in (
        {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"origin": "https://evil.example"}, {"origin": "null"},
        {"origin": "http://127.0.0.1:1"}, {"host": "evil.example"},
    ):
        answer = requests.get(url, headers=owner | headers, timeout=30)
        assert answer.status_code == 403, headers
        assert "owner" not in answer.text and "projects" not in answer.json()


def test_users_are_no_administrators_of_the_console(server):
    def token(claims):
        import base64
        import json

        part = lambda data: base64.urlsafe_b64encode(json.dumps(data).encode()).rstrip(b"=").decode()  # noqa: E731
        return f"{part({'alg': 'none'})}.{part(claims)}."

    headers = {"authorization": f"Bearer {token({'sub': 'ada', 'aud': 'shop'})}"}
    assert requests.get(f"{server.url}/console/api/projects", headers=headers, timeout=30).status_code == 403


def test_the_console_can_be_left_out(tmp_path):
    server = servers.Brasa(tmp_path / "data", "--no-console").start()
    try:
        for address in ADDRESSES + ["/console/api/session"]:
            assert requests.get(server.url + address, timeout=30).status_code == 404, address
    finally:
        server.kill()


def test_production_shows_the_page_and_tells_strangers_nothing(production):
    for address in ADDRESSES:
        answer = requests.get(production.url + address, verify=production.authority, timeout=30)
        assert answer.text.startswith("<!doctype html>"), address
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
    session = requests.get(f"{production.url}/console/api/session", verify=production.authority, timeout=30)
    assert session.json() == {"mode": "production"}
    assert requests.get(f"{production.url}/console/api/projects", verify=production.authority, timeout=30).status_code == 401


def test_the_link_to_an_index_leads_to_this_console(tmp_path):
    server = servers.Brasa(tmp_path / "data", "--require-indexes", "--origin", "http://console.test:8080").start()
    try:
        equal = {"fieldFilter": {"field": {"fieldPath": "userId"}, "op": "EQUAL", "value": {"stringValue": "ana"}}}
        query = {"from": [{"collectionId": "c"}], "where": equal, "orderBy": [{"field": {"fieldPath": "name"}}]}
        answer = requests.post(f"{server.url}/v1/projects/shop/databases/(default)/documents:runQuery", json={"structuredQuery": query}, timeout=30)
        assert answer.status_code == 400
        assert "http://console.test:8080/v1/r/project/shop/firestore/indexes?create_composite=" in answer.text
    finally:
        server.kill()


def test_the_files_may_come_from_a_directory(tmp_path):
    files = tmp_path / "files"
    (files / "base").mkdir(parents=True)
    (files / "index.html").write_text("<!doctype html><script src='{{files}}/base/a.js'></script>")
    (files / "base" / "a.js").write_text("one")
    (tmp_path / "secret").write_text("secret")
    server = servers.Brasa(tmp_path / "data", "--console-directory", files).start()
    try:
        page = requests.get(f"{server.url}/console", timeout=30).text
        address = server.url + re.search(r"src='([^']+)'", page).group(1)
        assert requests.get(address, timeout=30).text == "one"
        (files / "base" / "a.js").write_text("two")
        assert requests.get(address, timeout=30).text == "two"
        prepared = requests.Request("GET", server.url).prepare()
        prepared.url = address.replace("base/a.js", "%2e%2e%2fsecret")
        assert requests.Session().send(prepared, timeout=30).status_code == 404
    finally:
        server.kill()
