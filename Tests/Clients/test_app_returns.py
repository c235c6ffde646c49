"""Sign-ins at a provider's page that lead back to an app: by its own scheme in development, over https in production."""

import html
import json
import urllib.parse

import pytest
import requests

from support import oidc, secrets, server as servers
from support.certificates import certificate_for
from support.identity import Identity, Refused
from support.web_sign_in import SignInPage

pytestmark = pytest.mark.brasa_only

ID = "oidc.corp"
BUNDLE = "com.Example.shop"
BACK = "com.example.shop://auth/handler"
CLIENT = "77-web.apps.googleusercontent.com"
OWNER = {"authorization": "Bearer owner"}
numbers = iter(range(1_000))


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return certificate_for(["localhost"], tmp_path_factory.mktemp("returns"))


@pytest.fixture(scope="module")
def provider(certificates):
    made = oidc.Provider(certificates)
    made.person("ana", email="ana@corp.example", email_verified=True, name="Ana Corp")
    yield made
    made.close()


@pytest.fixture(scope="module")
def shop(certificates, tmp_path_factory):
    server = servers.Brasa(
        tmp_path_factory.mktemp("shop") / "data",
        environment={"BRASA_OUTBOUND_PRIVATE": "true", "BRASA_OUTBOUND_CA": str(certificates / "authority.pem")},
    ).start()
    yield server
    assert server.stop() == 0, server.output[-4000:]


@pytest.fixture
def identity(shop, provider):
    """A project of its own with the provider."""
    made = Identity(shop, f"returns-{next(numbers)}")
    made.admin(
        f"/oauthIdpConfigs?oauthIdpConfigId={ID}", version="v2", clientId="web", clientSecret="secret-of-the-web-client", issuer=provider.issuer, enabled=True)
    return made


def begin(identity, back=BACK, provider=ID):
    begun = identity.client("createAuthUri", providerId=provider, continueUri=back)
    secrets.note(begun["sessionId"], "session of a sign-in")
    return begun["authUri"], begun["sessionId"]


def finish(identity, back, session, provider=ID):
    return identity.client("signInWithIdp", requestUri=back, sessionId=session, postBody=f"providerId={provider}", returnSecureToken=True)


def led_on(address):
    """Where the server's page leads the browser on to."""
    answer = requests.get(address, allow_redirects=False, timeout=30)
    return answer.status_code, answer.headers.get("location")


def register(identity, bundle):
    answer = requests.post(
        f"{identity.base}/console/api/projects/{identity.project}/apps", json={"platform": "ios", "bundleId": bundle}, headers=OWNER, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()["id"]


def fields_of(address):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))


def test_the_providers_response_reaches_the_app(identity, provider):
    uri, session = begin(identity)
    assert fields_of(uri)["redirect_uri"] == f"{identity.base}/__/auth/handler"
    status, back = led_on(provider.consent(uri, "ana"))
    assert status == 303 and back.startswith(f"{BACK}?") and set(fields_of(back)) == {"code", "state"}
    made = finish(identity, back, session)
    assert made["federatedId"] == "ana" and made["displayName"] == "Ana Corp" and made["isNewUser"] is True
    with pytest.raises(Refused) as refusal:
        finish(identity, back, session)
    assert refusal.value.code == "INVALID_IDP_RESPONSE"


def test_the_response_is_of_the_apps_own_session(identity, provider):
    """Another app that takes the address has no session, and a session of another sign-in does not fit."""
    uri, session = begin(identity)
    _, other = begin(identity)
    _, back = led_on(provider.consent(uri, "ana"))
    for wrong, code in ((other, "INVALID_IDP_RESPONSE"), ("", "MISSING_SESSION_ID")):
        with pytest.raises(Refused) as refusal:
            finish(identity, back, wrong)
        assert refusal.value.code == code
    assert finish(identity, back, session)["federatedId"] == "ana"


def test_a_refusal_of_the_person_reaches_the_app(identity):
    uri, _ = begin(identity)
    state = fields_of(uri)["state"]
    status, back = led_on(f"{identity.base}/__/auth/handler?{urllib.parse.urlencode({'error': 'access_denied', 'state': state, 'evil': 'x'})}")
    assert status == 303 and back.startswith(f"{BACK}?") and fields_of(back) == {"error": "access_denied", "state": state}


def test_a_form_of_the_provider_reaches_the_app_with_the_name(identity):
    uri, _ = begin(identity)
    fields = {"code": "c", "state": fields_of(uri)["state"], "user": '{"name":{"firstName":"Ana"}}'}
    posted = requests.post(f"{identity.base}/__/auth/handler", data=fields, allow_redirects=False, timeout=30)
    status, back = led_on(urllib.parse.urljoin(f"{identity.base}/__/auth/handler", posted.headers["location"]))
    assert status == 303 and back.startswith(f"{BACK}?") and fields_of(back) == fields


def test_a_state_that_the_server_did_not_make_leads_nowhere(identity):
    uri, _ = begin(identity)
    token, address, signature = fields_of(uri)["state"].split(".")
    evil = "Y29tLmV2aWw6Ly94"  # com.evil://x
    for state in (f"{token}.{evil}.{signature}", f"{token}.{address}.{signature[:-1]}", f"x.{address}.{signature}", f"{token}.{address}", f"{token}.{address}.{signature}.x", f"..", "x" * 3_000):
        status, back = led_on(f"{identity.base}/__/auth/handler?{urllib.parse.urlencode({'code': 'c', 'state': state})}")
        assert status == 200 and back is None, state


@pytest.mark.parametrize("back", [
    "javascript:/alert(1)", "javascript://a.b/%0aalert(1)", "data:/text", "file:///etc/passwd", "blob:/x", "tel:/1", "intent://x", "shop://x", "about:/blank", "vbscript:/x",
    "com.example.shop:opaque", "com.example.shop://x?code=1", "com.example.shop://x#y", "com.example.shop://x\ny", "com.example.shop://x y", ".com://x", "1.com://x", "com.é://x",
    "com.example.shop://" + "x" * 600, "ftp://example.com/", "",
])
def test_an_address_that_no_app_has_is_refused(identity, back):
    with pytest.raises(Refused) as refusal:
        begin(identity, back)
    assert refusal.value.code in ("INVALID_CONTINUE_URI", "MISSING_CONTINUE_URI")


def test_a_project_with_apps_leads_back_to_these_alone(identity):
    app = register(identity, BUNDLE)
    identity.admin("/defaultSupportedIdpConfigs?idpId=google.com", version="v2", enabled=True, clientId=CLIENT, clientSecret="y")
    for scheme in ("com.example.shop", "COM.EXAMPLE.SHOP", "com.googleusercontent.apps.77-web", "app-" + app.replace(":", "-")):
        begin(identity, f"{scheme}://auth/handler")
    for scheme in ("com.example.shop2", "com.example", "com.googleusercontent.apps.78-web", "app-1-2-ios-3"):
        with pytest.raises(Refused) as refusal:
            begin(identity, f"{scheme}://auth/handler")
        assert refusal.value.code == "UNAUTHORIZED_DOMAIN" and "register one" in refusal.value.message


def test_a_provider_that_is_not_set_up_has_a_page_of_accounts(identity):
    """Development invents accounts, for apps as for pages."""
    uri, session = begin(identity, provider="google.com")
    assert uri.startswith(f"{identity.base}/__/auth/handler?") and fields_of(uri)["redirectUrl"] == BACK
    assert facts(uri)["isAuthorized"] is True and "problem" not in facts(uri)
    claims = json.dumps({"sub": "g-1", "email": "ana@example.com", "name": "Ana"})
    back = f"{BACK}?{urllib.parse.urlencode({'providerId': 'google.com', 'id_token': claims})}"
    assert finish(identity, back, session, "google.com")["federatedId"].endswith("/g-1")
    register(identity, "com.example.other")
    assert facts(uri)["problem"] == "auth/unauthorized-domain" and "isAuthorized" not in facts(uri)


@pytest.fixture
def page_of_accounts(identity, browser):
    """The page where development asks for an account, with a note of where it leaves to."""
    uri, session = begin(identity, provider="google.com")
    browser.driver.get(uri)
    browser.run("navigation.addEventListener('navigate', (event) => { window.left = event.destination.url; })")
    return SignInPage(browser, "", identity.base, identity.project, "development"), session


def test_an_invented_account_reaches_the_app(identity, page_of_accounts):
    page, session = page_of_accounts
    page.invent("ana@example.com")
    back = page.browser.wait("return window.left")
    assert back.startswith(f"{BACK}?")
    assert finish(identity, back, session, "google.com")["email"] == "ana@example.com"


def test_a_person_who_cancels_is_back_in_the_app(page_of_accounts):
    page, _ = page_of_accounts
    page.browser.wait("return document.querySelector('#cancel')")
    page.browser.run("document.querySelector('#cancel').click()")
    assert page.browser.wait("return window.left") == f"{BACK}?error=access_denied"


def facts(uri):
    page = requests.get(uri, timeout=30)
    assert page.status_code == 200
    text = page.text.split('name="brasa" content="', 1)[1].split('"', 1)[0]
    return json.loads(html.unescape(text))


@pytest.fixture(scope="module")
def production(certificates, provider, tmp_path_factory):
    server = servers.Brasa(
        tmp_path_factory.mktemp("production") / "data", development=False,
        environment={"BRASA_PROJECT": "shop", "BRASA_OUTBOUND_PRIVATE": "true", "BRASA_OUTBOUND_CA": str(certificates / "authority.pem")},
    ).start()
    made = Identity(server, "shop")
    made.admin(
        f"/oauthIdpConfigs?oauthIdpConfigId={ID}", version="v2", token=server.administrator_key, clientId="web", clientSecret="secret-of-the-web-client",
        issuer=provider.issuer, enabled=True)
    made.admin("/config?updateMask=authorizedDomains", verb="PATCH", version="v2", token=server.administrator_key, authorizedDomains=["localhost", "www.shop.example"])
    yield server
    assert server.stop() == 0, server.output[-4000:]


@pytest.mark.parametrize("back", [BACK, "com.googleusercontent.apps.77-web:/x", "http://www.shop.example/", "https://www.evil.example/", "http://evil.localhost/"])
def test_production_leads_back_over_https_to_its_own_alone(production, back):
    servers.run("apps", "create", "ios", "--bundle-id", f"com.example.shop{next(numbers)}", "--project", "shop", "--data", production.data)
    with pytest.raises(Refused) as refusal:
        begin(Identity(production, "shop"), back)
    assert refusal.value.code == "UNAUTHORIZED_DOMAIN", refusal.value.message


def test_production_takes_pages_and_no_addresses_of_apps(production, provider):
    identity = Identity(production, "shop")
    begin(identity, "https://www.shop.example/back")
    uri, session = begin(identity, f"{production.url}/__/auth/handler")
    back = provider.consent(uri, "ana")
    assert led_on(back) == (200, None)
    with pytest.raises(Refused) as refusal:
        finish(identity, f"{BACK}?{urllib.parse.urlsplit(back).query}", session)
    assert refusal.value.code == "INVALID_REQUEST_URI"
    assert finish(identity, back, session)["federatedId"] == "ana"
