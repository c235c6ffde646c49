"""Google's SDK for the web signs in with a provider, in popups and by redirects, in development: a page asks who signs in."""

import json
import urllib.parse

import pytest
import requests
from selenium.webdriver.common.by import By

from support import browser as browsers, server as servers
from support.certificates import certificate_for
from support.identity import Identity
from support.web_sign_in import SignInPage

pytestmark = pytest.mark.brasa_only

GOOGLE = "google.com"
FLOWS = ["signIn", "link", "reauth"]


@pytest.fixture(scope="module")
def pages():
    made = browsers.Pages()
    yield made
    made.close()


@pytest.fixture
def identity(server, project):
    return Identity(server, project)


@pytest.fixture
def page(browser, pages, server, project, identity):
    made = SignInPage(browser, pages.url, server.url, project, "emulator")
    yield made.open()
    made.close_popups()


def somebody(page, flow, project):
    """The person who begins the flow: nobody, somebody to link, or who signed in with the provider before."""
    if flow == "link":
        return page.sign_up(f"own@{project}.example")
    if flow == "signIn":
        return None
    page.popup("signInViaPopup", GOOGLE).invent(f"ana@{project}.example")
    return page.outcome()["uid"]


@pytest.mark.parametrize("flow", FLOWS)
def test_a_popup(page, project, flow):
    uid = somebody(page, flow, project)
    page.popup(f"{flow}ViaPopup", GOOGLE)
    assert page.shown == "Sign in with google.com"
    if flow == "reauth":
        page.choose(f"ana@{project}.example")
    else:
        page.invent(f"ana@{project}.example", **{"display-name": "Ana Souza"})
    found = page.outcome()
    assert found["type"] == f"{flow}ViaPopup" and found["providerId"] == GOOGLE and GOOGLE in found["providers"]
    assert uid is None or found["uid"] == uid
    assert found["isNewUser"] is (flow == "signIn")
    page.wait_for_windows(1)


@pytest.mark.parametrize("flow", FLOWS)
def test_a_redirect(page, project, flow):
    uid = somebody(page, flow, project)
    page.redirect(f"{flow}ViaRedirect", GOOGLE)
    if flow == "reauth":
        page.choose(f"ana@{project}.example")
    else:
        page.invent(f"ana@{project}.example")
    found = page.result()
    assert found["type"] == f"{flow}ViaRedirect" and GOOGLE in found["providers"]
    assert uid is None or found["uid"] == uid
    # The event counts once: the page, opened again, has no result.
    page.browser.run("sessionStorage.setItem(`firebase:pendingRedirect:${fields.get('project')}:[DEFAULT]`, 'true')")
    page.open()
    assert page.result() is None


@pytest.mark.parametrize("provider", ["github.com", "facebook.com", "apple.com", "twitter.com", "oidc.anything"])
def test_any_provider_can_be_played(page, project, provider):
    page.popup("signInViaPopup", provider, scopes=["email"], customParameters={"prompt": "consent"})
    page.invent(f"bia@{project}.example", **{"screen-name": "bia", "profile-photo": "https://photos.example/bia.png"})
    found = page.outcome()
    assert found["providers"] == [provider] and json.loads(found["claims"])["picture"] == "https://photos.example/bia.png"


def test_an_account_is_found_again(page, project):
    page.popup("signInViaPopup", GOOGLE)
    page.browser.wait("return Boolean(window.toggleForm)")
    for button in ("#add-account-button button", "#autogen-button", "#sign-in"):
        page.browser.run("document.querySelector(arguments[0]).click()", button)
    first = page.outcome()
    page.popup("signInViaPopup", GOOGLE).choose(first["email"])
    assert page.outcome()["uid"] == first["uid"]
    page.popup("signInViaPopup", "github.com")
    page.browser.wait("return Boolean(window.toggleForm)")
    assert page.driver.find_elements(By.CSS_SELECTOR, ".js-reuse-account") == []


def test_reauthentication_as_somebody_else(page, project):
    somebody(page, "reauth", project)
    page.popup("reauthViaPopup", GOOGLE).invent(f"other@{project}.example")
    assert page.outcome() == "auth/user-not-found"


def test_a_person_who_cancels(page):
    page.popup("signInViaPopup", GOOGLE)
    page.browser.wait("return document.querySelector('#cancel')")
    page.browser.run("document.querySelector('#cancel').click()")
    assert page.outcome() == "auth/user-cancelled"


def test_a_person_who_cancels_a_redirect(page):
    page.redirect("signInViaRedirect", GOOGLE)
    page.browser.wait("return document.querySelector('#cancel')")
    page.browser.run("document.querySelector('#cancel').click()")
    assert page.result() == "auth/user-cancelled"


def test_a_popup_that_is_closed(page):
    page.popup("signInViaPopup", GOOGLE)
    assert page.shown
    page.driver.close()
    assert page.outcome() == "auth/popup-closed-by-user"


def test_a_tenant_is_refused(page):
    page.start_popup("signInViaPopup", GOOGLE, tenantId="t-1")
    assert page.outcome() == "auth/unsupported-tenant-operation"


def test_the_frame_can_store_and_says_that_nothing_was_under_way(page):
    assert page.later("canStore()") is True
    page.browser.wait("return events.log.length")
    [event] = page.browser.run("return events.log")
    assert event["type"] == "unknown" and event["error"]["code"] == "auth/no-auth-event"


def test_nothing_is_asked_of_google(page):
    """The page has the frames by our script: neither it nor the frame loads Google's."""
    assert page.later("canStore()") is True
    asked = page.browser.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert not [address for address in asked if "google" in address and "identitytoolkit" not in address]
    page.driver.switch_to.frame(page.driver.find_element(By.TAG_NAME, "iframe"))
    assert page.browser.run("return document.scripts.length") == 1


@pytest.fixture(scope="module")
def google(tmp_path_factory):
    """A browser for which `apis.google.com` is this machine's; its script behaves as Google's."""
    host = browsers.Pages(certificate_for(["apis.google.com"], tmp_path_factory.mktemp("google")))
    made = browsers.Browser([("apis.google.com", host.port)])
    yield made
    made.close()
    host.close()


@pytest.mark.parametrize("way", ["Popup", "Redirect"])
def test_a_page_with_googles_script_and_without_ours(google, pages, server, project, identity, way):
    page = SignInPage(google, pages.url, server.url, project, "emulator")
    page.address += "&google"
    page.open()
    email = f"ana@{project}.example"
    if way == "Popup":
        page.popup("signInViaPopup", GOOGLE).invent(email)
        found = page.outcome()
    else:
        page.redirect("signInViaRedirect", GOOGLE).invent(email)
        found = page.result()
    assert found["email"] == email and page.browser.run("return googleLoaded && window.brasaWeb === undefined")
    assert page.later("canStore()") is True


def test_a_page_with_two_apps_tells_their_events_apart(page, project):
    """A frame of another app hears nothing, though it is of the same origin."""
    page.browser.run("startFrame()")
    page.browser.wait("return outcome")
    page.browser.run("""
      window.others = [];
      const context = gapi.iframes.getContext();
      const url = document.querySelector('iframe').src.replace('DEFAULT', 'second');
      context.open({ url, where: document.body }, (frame) => {
        frame.register('authEvent', (message) => { others.push(message.authEvent); return { status: 'ACK' } });
        return frame;
      });
    """)
    page.browser.wait("return others.length")
    page.popup("signInViaPopup", GOOGLE).invent(f"caio@{project}.example")
    assert page.outcome()["uid"]
    assert [event["type"] for event in page.browser.run("return others")] == ["unknown"]


def test_pages_that_the_operator_named_sign_in(browser, pages, tmp_path):
    """`--dev-origin` needs no authorized domain beside it; pages of other hosts are refused."""
    running = servers.Brasa(tmp_path / "data", "--dev-origin", f"http://app.example:{pages.port}").start()
    try:
        page = SignInPage(browser, f"http://app.example:{pages.port}", running.url, "demo-named", "emulator").open()
        page.popup("signInViaPopup", GOOGLE).invent("ana@named.example")
        assert page.outcome()["email"] == "ana@named.example"
        assert "app.example" in Identity(running, "demo-named").get("v1/projects")["authorizedDomains"]
        fields = {"apiKey": "demo-named", "appName": "a", "authType": "signInViaPopup", "providerId": GOOGLE, "eventId": "1"}
        for host, is_refused in (("app.example", False), ("other.example", True), ("app.example.other", True)):
            shown = requests.get(
                f"{running.url}/emulator/auth/handler", params={**fields, "redirectUrl": f"http://{host}/"}, timeout=30)
            assert ("unauthorized-domain" in shown.text) is is_refused, host
        page.close_popups()
    finally:
        running.stop()


def test_the_pages_policies(server, project, identity):
    session = requests.Session()
    frame = session.get(f"{server.url}/emulator/auth/iframe?apiKey={project}&appName=a", timeout=30)
    policy = frame.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self' https://apis.google.com;" in policy
    ancestors = policy.split("frame-ancestors ")[1].split()
    assert "'self'" in ancestors and "http://localhost:*" in ancestors and "*" not in ancestors
    asked = session.get(f"{server.url}/emulator/auth/iframe?apiKey={project}&appName=a", timeout=30, headers={"Host": "10.0.2.2:8080"})
    assert "http://10.0.2.2:*" in asked.headers["Content-Security-Policy"] and "10.0.2.2" not in policy
    handler = session.get(f"{server.url}/emulator/auth/handler?apiKey={project}&authType=x", timeout=30)
    assert "script-src 'self'; frame-ancestors 'none'" in handler.headers["Content-Security-Policy"]
    assert session.get(f"{server.url}/__/auth/iframe?appName=a", timeout=30).status_code == 403


def test_a_sign_in_link_opens_the_app_at_once(server, project, identity):
    identity.client("sendOobCode", requestType="EMAIL_SIGNIN", email="bia@customer.example",
                    continueUrl="http://localhost/in?from=email#top", canHandleCodeInApp=True)
    link = identity.codes()[-1]["oobLink"]
    for address in (link, link.replace("/__/auth/action", "/emulator/action")):
        answer = requests.get(address, allow_redirects=False, timeout=30)
        on = answer.headers["Location"]
        assert answer.status_code == 303 and on.startswith("http://localhost/in?from=email&") and on.endswith("#top")
        fields = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(on).query))
        assert fields["mode"] == "signIn" and fields["apiKey"] == project and "continueUrl" not in fields
    identity.client("signInWithEmailLink", email="bia@customer.example", oobCode=fields["oobCode"])


@pytest.mark.parametrize("target", [
    "https://evil.example/", "javascript:alert(1)", "//evil.example", "https://localhost@evil.example/",
    "https://localhost\\@evil.example/", "http://localhost%0d%0aX-Evil:1/", "https://localhost.evil.example/",
])
def test_a_sign_in_link_leads_to_no_other_domain(server, project, identity, target):
    address = f"{server.url}/__/auth/action?mode=signIn&oobCode=x&apiKey={project}&continueUrl="
    answer = requests.get(address + urllib.parse.quote(target, safe=""), allow_redirects=False, timeout=30)
    assert answer.status_code == 200 and "Location" not in answer.headers


def test_a_recaptcha_key(identity):
    found = identity.get("v2/recaptchaConfig")
    assert found["recaptchaKey"].split("/")[3] == "none"
    assert {state["enforcementState"] for state in found["recaptchaEnforcementState"]} == {"OFF"}
