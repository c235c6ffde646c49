"""Google's SDK for the web signs in with a provider in production, over TLS, and what strangers try on the way."""

import html
import json
import types
import urllib.parse

import pytest
import requests

from support import browser as browsers, oidc, server as servers
from support.certificates import certificate_for
from support.identity import Identity, Refused
from support.web_sign_in import SignInPage

pytestmark = pytest.mark.brasa_only

PROJECT = "shop-web"
ID = "oidc.corp"
FLOWS = ["signIn", "link", "reauth"]
# Names of one site, as a shop has them, and of another one.
AUTH, APP, EVIL = "auth.shop.example", "www.shop.example", "www.evil.example"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return certificate_for(["localhost", AUTH, APP, EVIL], tmp_path_factory.mktemp("popups"))


@pytest.fixture(scope="module")
def provider(certificates):
    made = oidc.Provider(certificates)
    yield made
    made.close()


@pytest.fixture(scope="module")
def pages(certificates):
    made = browsers.Pages(certificates)
    yield made
    made.close()


@pytest.fixture(scope="module")
def shop(certificates, provider, tmp_path_factory):
    port = servers.free_port()
    server = servers.Brasa.production(
        tmp_path_factory.mktemp("shop") / "data", certificates, "--port", port, "--origin", f"https://{AUTH}:{port}",
        environment={
            "BRASA_PROJECT": PROJECT, "BRASA_OUTBOUND_PRIVATE": "true",
            "BRASA_OUTBOUND_CA": str(certificates / "authority.pem"),
        },
    ).start()
    server.public = f"https://{AUTH}:{port}"
    admin = Identity(server, PROJECT, verify=server.authority)
    token = server.administrator_key
    for identifier, enabled in ((ID, True), ("oidc.off", False)):
        admin.admin(
            f"/oauthIdpConfigs?oauthIdpConfigId={identifier}", version="v2", token=token, clientId="web",
            clientSecret="secret-of-the-web-client", issuer=provider.issuer, enabled=enabled)
    admin.admin("/config?updateMask=authorizedDomains", verb="PATCH", version="v2", token=token,
                authorizedDomains=["localhost", APP])
    yield server
    assert server.stop() == 0, server.output[-4000:]


@pytest.fixture
def identity(shop):
    return Identity(shop, PROJECT, verify=shop.authority)


numbers = iter(range(1_000))


@pytest.fixture
def person(provider):
    subject = f"person-{next(numbers)}"
    provider.person(subject, email=f"{subject}@corp.example", email_verified=True, name="Ana Corp")
    return subject


@pytest.fixture
def page(browser, pages, shop):
    made = SignInPage(browser, f"https://{APP}:{pages.port}", shop.public, PROJECT, "production")
    yield made.open()
    made.close_popups()


def somebody(page, flow, person):
    if flow == "link":
        return page.sign_up(f"own-{person}@shop.example")
    if flow == "signIn":
        return None
    page.popup("signInViaPopup", ID).consent(person)
    return page.outcome()["uid"]


@pytest.mark.parametrize("flow", FLOWS)
def test_a_popup(page, person, flow):
    uid = somebody(page, flow, person)
    page.popup(f"{flow}ViaPopup", ID).consent(person)
    found = page.outcome()
    assert found["type"] == f"{flow}ViaPopup" and ID in found["providers"]
    assert uid is None or found["uid"] == uid
    assert found["isNewUser"] is (flow == "signIn")
    page.wait_for_windows(1)


@pytest.mark.parametrize("flow", FLOWS)
def test_a_redirect(page, person, flow):
    uid = somebody(page, flow, person)
    page.redirect(f"{flow}ViaRedirect", ID).consent(person)
    found = page.result()
    assert found["type"] == f"{flow}ViaRedirect" and ID in found["providers"]
    assert uid is None or found["uid"] == uid
    page.browser.run(f"sessionStorage.setItem('firebase:pendingRedirect:{PROJECT}:[DEFAULT]', 'true')")
    page.open()
    assert page.result() is None


def test_scopes_and_parameters_reach_the_provider(page, person):
    page.popup("signInViaPopup", ID, scopes=["calendar", "email"], customParameters={
        "login_hint": "ana@corp.example", "prompt": "consent", "state": "stolen", "redirect_uri": "https://www.evil.example/",
    })
    page.browser.wait("return document.querySelector('input[name=sub]')")
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(page.driver.current_url).query)
    assert asked["scope"] == ["openid email profile calendar"]
    assert asked["login_hint"] == ["ana@corp.example"] and asked["prompt"] == ["consent"]
    assert asked["state"] != ["stolen"] and len(asked["redirect_uri"]) == 1
    page.consent(person)
    assert page.outcome()["email"] == f"{person}@corp.example"


def test_a_person_who_declines(page):
    page.popup("signInViaPopup", ID).decline()
    assert page.outcome() == "auth/user-cancelled"


def test_a_person_who_declines_a_redirect(page):
    page.redirect("signInViaRedirect", ID).decline()
    assert page.result() == "auth/user-cancelled"


def test_a_popup_that_is_closed_at_the_provider(page):
    page.popup("signInViaPopup", ID)
    page.browser.wait("return document.querySelector('input[name=sub]')")
    page.driver.close()
    assert page.outcome() == "auth/popup-closed-by-user"


@pytest.mark.parametrize("provider_id", ["oidc.off", "oidc.nowhere", "google.com", "saml.corp"])
def test_a_provider_that_is_not_enabled(page, provider_id):
    page.start_popup("signInViaPopup", provider_id)
    assert page.outcome() == "auth/operation-not-allowed"


def test_a_provider_that_is_not_enabled_by_a_redirect(page):
    page.redirect("signInViaRedirect", "oidc.off")
    assert page.result() == "auth/operation-not-allowed"


def test_an_address_of_somebody_else(page, provider, identity):
    """The provider does not vouch for the address: the SDK asks the app to link."""
    identity.client("signUp", email="victim@corp.example", password="correct horse battery")
    provider.person("claims-much", email="victim@corp.example", email_verified=False)
    page.popup("signInViaPopup", ID).consent("claims-much")
    assert page.outcome() == "auth/account-exists-with-different-credential"


def test_an_identity_of_another_account(page, person):
    somebody(page, "reauth", person)
    page.sign_up(f"second-{person}@shop.example")
    page.popup("linkViaPopup", ID).consent(person)
    assert page.outcome() == "auth/credential-already-in-use"


# What strangers try.


def address(shop, page="handler", **fields):
    given = {
        "apiKey": PROJECT, "appName": "[DEFAULT]", "authType": "signInViaRedirect", "providerId": ID, "eventId": "4711",
        "redirectUrl": "https://www.evil.example/", "v": "12.0.0", **fields,
    }
    return f"{shop.public}/__/auth/{page}?{urllib.parse.urlencode(given)}"


def facts(shop, **fields):
    """The handler's findings about a request, without a browser."""
    url = address(shop, **fields).replace(shop.public, shop.url)
    text = requests.get(url, verify=shop.authority, timeout=30).text
    return types.SimpleNamespace(**{"problem": None, "isAuthorized": False, **json.loads(
        html.unescape(text.split('<meta name="brasa" content="')[1].split('">')[0]))})


@pytest.mark.parametrize("target", [
    "https://www.evil.example/", "javascript:alert(document.domain)", "data:text/html,x", "//www.evil.example/",
    f"https://{APP}@www.evil.example/", f"https://{APP}\\@www.evil.example/", f"https://{APP}.evil.example/",
    f"http://{APP}/", f"https://evil.{APP}/", f"https://{APP}\t.evil.example", "", "about:blank", f"ftp://{APP}/",
    f"https://{APP}%2eevil.example/", f"https:/\\{APP}", "https:///www.evil.example",
])
def test_nobody_is_led_to_an_address_of_strangers(browser, shop, target):
    found = facts(shop, redirectUrl=target)
    assert found.problem == "auth/unauthorized-domain" and not found.isAuthorized
    browser.driver.get(address(shop, redirectUrl=target))
    assert browser.wait("return document.querySelector('main h1')?.textContent") == "This sign-in cannot start"
    assert browser.driver.current_url.startswith(shop.public)


def test_the_apps_own_addresses_are_authorized(shop):
    for target in (f"https://{APP}/", f"https://{APP}:8443/in?next=%2F#a", f"{shop.public}/x", "http://localhost:3000/",
                   f"https://{APP}/?{'x' * 3_000}"):
        assert facts(shop, redirectUrl=target).isAuthorized, target


@pytest.mark.parametrize("fields, problem", [
    ({"authType": "unknown"}, "argument-error"), ({"authType": "verifyApp"}, "argument-error"),
    ({"eventId": ""}, "argument-error"), ({"eventId": "x" * 300}, "argument-error"),
    ({"appName": ""}, "argument-error"), ({"scopes": "x" * 5_000}, "argument-error"),
    ({"providerId": ""}, "invalid-provider-id"), ({"providerId": "password"}, "invalid-provider-id"),
    ({"tid": "tenant"}, "unsupported-tenant-operation"), ({"providerId": "oidc.off"}, "operation-not-allowed"),
])
def test_what_is_wrong_has_googles_names(shop, fields, problem):
    assert facts(shop, redirectUrl=f"https://{APP}/", **fields).problem == f"auth/{problem}"


def test_a_page_of_another_site_gets_no_frame(browser, pages, shop):
    stranger = SignInPage(browser, f"https://{EVIL}:{pages.port}", shop.public, PROJECT, "production").open()
    browser.run("startPopup('signInViaPopup', { providerId: arguments[0] })", ID)
    assert stranger.outcome() == "auth/unauthorized-domain"
    # Without the SDK's own question the browser keeps the frame from it.
    browser.run("startFrame()")
    assert stranger.outcome() == "auth/unauthorized-domain"
    policy = requests.get(f"{shop.url}/__/auth/iframe?apiKey={PROJECT}&appName=a", verify=shop.authority, timeout=30)
    policy = policy.headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy and "'unsafe" not in policy
    ancestors = policy.split("frame-ancestors ")[1].split()
    assert ancestors == ["'self'", "https://localhost:*", "http://localhost:*", f"https://{APP}:*", f"https://{AUTH}:*"]


def test_a_domain_that_would_end_the_policy_is_no_source(shop, identity):
    def allow(domains):
        identity.admin("/config?updateMask=authorizedDomains", verb="PATCH", version="v2", token=shop.administrator_key,
                       authorizedDomains=domains)

    try:
        try:
            allow(["localhost", APP, "x; script-src *", "*", "a b"])
        except Refused:
            return
        answer = requests.get(f"{shop.url}/__/auth/iframe?apiKey={PROJECT}&appName=a", verify=shop.authority, timeout=30)
        policy = answer.headers["Content-Security-Policy"]
        assert "script-src *" not in policy and " * " not in f"{policy} " and "a b" not in policy
    finally:
        allow(["localhost", APP])


def test_messages_of_other_frames_and_origins_are_not_heard(page, pages, person):
    """A stranger's frame in the app's page can neither bring an event nor connect in the page's place."""
    page.browser.run("startFrame()")
    page.browser.wait("return outcome")
    page.browser.run("""
      const frame = document.createElement('iframe');
      frame.name = 'stranger';
      frame.src = arguments[0];
      document.body.append(frame);
      return new Promise((done) => { frame.onload = done });
    """, f"https://{EVIL}:{pages.port}/origins.html")
    forged = {"type": "signInViaPopup", "eventId": "1", "urlResponse": "https://x/", "sessionId": "s", "error": None}
    attack = """
      const target = arguments[2] ? parent.frames[0] : window.frames[0];
      const key = arguments[0] + ':[DEFAULT]';
      const forged = arguments[1];
      target.postMessage({ eventType: 'sendAuthEvent', data: { storageKey: key, origin: arguments[3], authEvent: forged } }, '*');
      const { port1, port2 } = new MessageChannel();
      window.heard = [];
      port1.onmessage = (event) => heard.push(event.data);
      target.postMessage({ brasa: 'connect' }, '*', [port2]);
      port1.postMessage({ call: 1, type: 'webStorageSupport' });
    """
    origin = page.browser.run("return location.origin")
    page.driver.switch_to.frame("stranger")
    page.browser.run(attack, PROJECT, forged, True, origin)
    # A sign-in that works comes after all of it: nothing of it was heard before.
    page.driver.switch_to.default_content()
    page.browser.run(attack, PROJECT, {**forged, "eventId": "2"}, False, origin)
    page.popup("signInViaPopup", ID).consent(person)
    assert page.outcome()["uid"]
    events = page.browser.run("return events.log")
    assert [event["type"] for event in events] == ["unknown", "signInViaPopup"] and events[1]["eventId"] not in ("1", "2")
    assert page.browser.run("return heard") == []
    page.driver.switch_to.frame("stranger")
    assert page.browser.run("return heard") == []
    page.driver.switch_to.default_content()


def test_an_event_counts_once(page, shop, person, identity):
    """The same event, sent again by a page of the server's own origin, is not given on; its session signs nobody in."""
    page.popup("signInViaPopup", ID, eventId="0000004711").consent(person)
    assert page.outcome()["uid"]
    [event] = [event for event in page.browser.run("return events.log") if event["type"] != "unknown"]
    # A page of the server in a popup of the app.
    page.browser.run("window.open(arguments[0], 'again')", f"{shop.public}/__/auth/action?lang=en")
    found = [handle for handle in page.wait_for_windows(2) if handle != page.first]
    page.driver.switch_to.window(found[0])
    page.browser.wait("return document.querySelector('main h1')")
    send = """
      const data = { storageKey: arguments[0] + ':[DEFAULT]', origin: arguments[1], authEvent: arguments[2] };
      opener[0].postMessage({ eventType: 'sendAuthEvent', data }, location.origin);
    """
    origin = page.address.split("/sign-in")[0]
    for again in (event, {**event, "sessionId": "another"}, {**event, "eventId": "0000000001"}):
        page.browser.run(send, PROJECT, origin, again)
    # One that is new shows that the others were passed over.
    fresh = {"type": "signInViaPopup", "eventId": "fresh", "sessionId": None, "error": {"code": "auth/user-cancelled"}}
    page.browser.run(send, PROJECT, origin, fresh)
    page.driver.close()
    page.driver.switch_to.window(page.first)
    page.browser.wait("return events.log.some((event) => event.eventId === 'fresh')")
    assert len(page.browser.run("return events.log")) == 3
    with pytest.raises(Refused) as refusal:
        identity.client("signInWithIdp", requestUri=event["urlResponse"], sessionId=event["sessionId"], returnSecureToken=True)
    assert refusal.value.code == "INVALID_IDP_RESPONSE"


def test_an_event_of_another_pages_sign_in_is_not_given_on(page, shop):
    """It carries somebody's sign-in for another origin of the project."""
    page.browser.run("startFrame()")
    page.browser.wait("return outcome")
    page.browser.run("window.open(arguments[0], 'other')", f"{shop.public}/__/auth/action?lang=en")
    found = [handle for handle in page.wait_for_windows(2) if handle != page.first]
    page.driver.switch_to.window(found[0])
    page.browser.wait("return document.querySelector('main h1')")
    page.browser.run("""
      const event = { type: 'signInViaPopup', eventId: 'e', urlResponse: 'https://x/', sessionId: 's', error: null };
      for (const [origin, authEvent] of [['https://localhost', event], [null, event], [arguments[1], { ...event, eventId: 'right' }]]) {
        const data = { storageKey: arguments[0] + ':[DEFAULT]', origin, authEvent };
        opener[0].postMessage({ eventType: 'sendAuthEvent', data }, location.origin);
      }
    """, PROJECT, page.address.split("/sign-in")[0])
    page.driver.close()
    page.driver.switch_to.window(page.first)
    page.browser.wait("return events.log.some((event) => event.eventId === 'right')")
    assert [event["eventId"] for event in page.browser.run("return events.log")] == [None, "right"]


def test_a_code_is_of_the_tab_that_began(browser, page, shop, provider, person, identity):
    """Somebody who is led to a stranger's answer of the provider is signed in as nobody."""
    begun = identity.client("createAuthUri", providerId=ID, continueUri=f"{shop.public}/__/auth/handler")
    back = provider.consent(begun["authUri"], person)
    browser.driver.get(back)
    assert browser.wait("return document.querySelector('main h1')?.textContent") == "Signed in at the provider"
    assert not browser.run("return Object.keys(sessionStorage).some((key) => key.startsWith('firebase:'))")
    page.open()
    page.browser.run(f"sessionStorage.setItem('firebase:pendingRedirect:{PROJECT}:[DEFAULT]', 'true')")
    assert page.result() is None


def test_a_finished_sign_in_starts_no_second_one(browser, page, person):
    """Back in the browser's history, and the same address again."""
    page.redirect("signInViaRedirect", ID, eventId="0000000042").consent(person)
    assert page.result()["uid"]
    target = page.address
    browser.driver.get(address(types.SimpleNamespace(public=target.split("server=")[1].split("&")[0]),
                               eventId="0000000042", redirectUrl=target))
    assert browser.wait("return document.querySelector('main h1')?.textContent") == "This sign-in is over"


HOSTILE = "\"'></title><script>document.title='broken'</script><img src=x onerror=document.title='broken'>${1}{{facts}}"


@pytest.mark.parametrize("name", [
    "apiKey", "appName", "authType", "redirectUrl", "eventId", "v", "providerId", "scopes", "customParameters", "tid", "lang",
    "code", "state", "error", "error_description", "key", "fw", "eid",
])
def test_markup_in_a_parameter_stays_text(browser, shop, name):
    browser.complaints()
    for page in ("handler", "iframe", "action"):
        browser.driver.get(address(shop, page, **{"redirectUrl": f"https://{APP}/", "authType": "signInViaPopup",
                                                  "oobCode": "x", "mode": "verifyEmail", name: HOSTILE}))
        assert browser.run("return document.title !== 'broken' && document.images.length === 0"), page
        assert browser.run("return [...document.scripts].every((script) => script.src.startsWith(location.origin))"), page
    violations = [c["message"] for c in browser.complaints() if "violates" in c["message"]]
    assert violations == []


def test_a_popup_of_a_page_that_may_not_sign_in(browser, pages, shop, page):
    """Its address is not the project's: the app's frame hears Google's code and nobody is led anywhere."""
    page.start_popup("signInViaPopup", ID, redirectUrl=f"https://{EVIL}:{pages.port}/")
    assert page.outcome() == "auth/unauthorized-domain"


def test_a_configuration_of_googles_domain_says_what_to_set(browser, page):
    code = page.later("""
      gapi.iframes.getContext().open({ url: 'https://shop.firebaseapp.com/__/auth/iframe?apiKey=a', where: document.body })
        .then(() => 'opened', (error) => error.message)
    """)
    assert 'set authDomain to "auth.shop.example' in code
