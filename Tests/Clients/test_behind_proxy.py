"""A production server that listens on this machine alone: what it tells its own programs, and what those who come by a proxy."""

import re

import pytest
import requests

from support import server as servers
from support.administrators import PASSWORD, Page, invite, timed_code

pytestmark = pytest.mark.brasa_only

ORIGIN = "https://brasa.example.org"


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A server of this machine, which nobody else reaches."""
    running = servers.Brasa(tmp_path_factory.mktemp("alone") / "data", development=False).start()
    yield running
    running.kill()


@pytest.fixture(scope="module")
def proxied(tmp_path_factory):
    """A server behind a proxy for TLS on the same machine, with a port for metrics alone."""
    arguments = ["--origin", ORIGIN, "--metrics-address", "127.0.0.1:0"]
    data = tmp_path_factory.mktemp("proxied") / "data"
    running = servers.Brasa(data, *arguments, development=False).start()
    yield running
    running.kill()


def metrics(server, path="/metrics", **headers):
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return requests.get(f"{server.url}{path}", headers=sent, timeout=30)


def bearer(server):
    return f"Bearer {server.administrator_key}"


# Metrics


def test_programs_of_this_machine_read_the_metrics(alone):
    answer = metrics(alone)
    assert answer.status_code == 200 and "brasa_connections" in answer.text
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")


@pytest.mark.parametrize(
    "headers",
    [
        {"X_Forwarded_For": "203.0.113.9"}, {"Forwarded": "for=203.0.113.9"}, {"X_Real_IP": "203.0.113.9"},
        {"X_Forwarded_Proto": "https"}, {"Via": "1.1 proxy"}, {"Origin": "http://127.0.0.1:3000"},
        {"Origin": "https://evil.example"}, {"Sec_Fetch_Site": "same-origin"}, {"Host": "evil.example"},
        {"Host": "localhost.evil.example:8080"},
    ],
)
def test_what_comes_by_a_proxy_or_from_a_page_does_not(alone, headers):
    answer = metrics(alone, **headers)
    assert answer.status_code == 403 and answer.json()["error"]["status"] == "PERMISSION_DENIED"
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]
    assert metrics(alone, Authorization=bearer(alone), **headers).status_code == 200


def test_the_root_leads_browsers_to_the_console_by_its_own_names_alone(alone):
    def root(**headers):
        return requests.get(f"{alone.url}/", headers={"Accept": "text/html"} | headers, allow_redirects=False, timeout=30)

    assert (root().status_code, root().headers["Location"]) == (302, "/console")
    assert (root(Host="evil.example").status_code, root(Host="evil.example").text) == (200, "Ok\n")


@pytest.mark.parametrize("token", ["nonsense", "owner"])
def test_another_token_is_none(alone, token):
    assert metrics(alone, X_Forwarded_For="203.0.113.9", Authorization=f"Bearer {token}").status_code == 401


def test_no_preflight_allows_the_metrics(alone):
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "GET"}
    answer = requests.options(f"{alone.url}/metrics", headers=headers, timeout=30)
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]


def test_behind_a_proxy_this_machine_is_everybody(proxied):
    """A proxy need not say that it is one: nginx sends no field by itself, and its own upstream as the host."""
    assert metrics(proxied).status_code == 403
    assert metrics(proxied, Authorization=bearer(proxied)).status_code == 200


def test_metrics_have_a_port_of_their_own(proxied):
    proxied.wait_for_output("metrics listening")
    port = re.search(r"metrics listening.*port=(\d+)", proxied.output).group(1)
    address = f"http://127.0.0.1:{port}"
    answer = requests.get(f"{address}/metrics", headers={"X-Forwarded-For": "203.0.113.9"}, timeout=30)
    assert answer.status_code == 200 and "brasa_connections" in answer.text
    assert requests.get(f"{address}/healthz", timeout=30).status_code == 200
    for path in ("/", "/console", "/v1/projects/p/databases", "/v1/projects/p/databases/(default)/documents/c/d"):
        assert requests.get(address + path, headers={"Authorization": bearer(proxied)}, timeout=30).status_code in (200, 404)
    assert requests.get(f"{address}/console", timeout=30).status_code == 404


@pytest.mark.parametrize("address", ["9090", ":9090", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000"])
def test_an_address_for_metrics_that_is_none(tmp_path, address):
    done = servers.run("serve", "--data", tmp_path / "data", "--metrics-address", address, check=False)
    assert done.returncode != 0 and "--metrics-address must be like 127.0.0.1:9090" in done.stderr


# Administrators


def accept_without_factor(server, email):
    page = Page(server)
    code = invite(server, email, "owner").split("#invitation=")[1]
    invitation = page.post("invitation", {"code": code}).json()
    answer = page.post("accept", {"code": code, "password": PASSWORD})
    return page, invitation, code, answer


def test_alone_a_second_factor_is_optional(alone):
    _, invitation, _, answer = accept_without_factor(alone, "ada@example.org")
    assert invitation["requiresFactor"] is False and answer.status_code == 200


def test_behind_a_proxy_administrators_need_a_second_factor(proxied):
    page, invitation, code, answer = accept_without_factor(proxied, "bia@example.org")
    assert invitation["requiresFactor"] is True
    assert answer.status_code == 400 and "set-cookie" not in answer.headers
    factor = timed_code(invitation["secret"])
    assert page.post("accept", {"code": code, "password": PASSWORD, "factorCode": factor}).status_code == 200
    assert "pending" in Page(proxied).post("sign-in", {"email": "bia@example.org", "password": PASSWORD}).json()


def test_an_account_without_a_factor_does_not_sign_in_behind_a_proxy(tmp_path):
    """It was made while the server was for this machine alone."""
    server = servers.Brasa(tmp_path / "data", development=False).start()
    _, _, _, answer = accept_without_factor(server, "ada@example.org")
    assert answer.status_code == 200
    server.stop()
    server = servers.Brasa(tmp_path / "data", "--origin", ORIGIN, development=False).start()
    try:
        refused = Page(server).post("sign-in", {"email": "ada@example.org", "password": PASSWORD})
        assert refused.status_code == 400 and "set-cookie" not in refused.headers
    finally:
        server.kill()


# Names that were made to lead here


@pytest.mark.parametrize("path", ["/console", "/console/api/session"])
def test_the_console_answers_to_names_of_this_machine_alone(alone, proxied, path):
    for host in ("evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example"):
        assert metrics(alone, path, Host=host).status_code == 403
        assert metrics(proxied, path, Host=host).status_code == 403
    for host in ("localhost", "127.0.0.1:8080", "[::1]:8080", "app.localhost"):
        assert metrics(alone, path, Host=host).status_code != 403
    assert metrics(proxied, path, Host="brasa.example.org").status_code != 403


def test_a_page_of_a_name_that_leads_here_cannot_try_passwords(alone):
    headers = {"Host": "evil.example", "Origin": "http://evil.example", "sec-fetch-site": "same-origin"}
    body = {"email": "ada@example.org", "password": PASSWORD}
    answer = requests.post(f"{alone.url}/console/session/sign-in", json=body, headers=headers, timeout=30)
    assert answer.status_code == 403 and "evil.example" in answer.json()["error"]["message"]


def test_clients_reach_the_server_by_any_name(alone):
    path = "/v1/projects/p/databases/(default)/documents/c/d"
    answer = metrics(alone, path, Host="api.example.org", Authorization=bearer(alone))
    assert answer.status_code == 404 and answer.json()["error"]["status"] == "NOT_FOUND"
