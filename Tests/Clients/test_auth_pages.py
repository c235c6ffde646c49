"""The pages that links in emails lead to, in headless Chromium, with confirmations as people give them.

`BRASA_SCREENSHOTS=directory` keeps what they look like.
"""

import os
import pathlib
import urllib.parse

import pytest
from selenium.webdriver.common.by import By

from support.certificates import certificate_for
from support.identity import Identity

pytestmark = pytest.mark.brasa_only


@pytest.fixture
def identity(server, project):
    return Identity(server, project)


@pytest.fixture
def ana(identity):
    """Somebody signed in, without a password: hashing takes long in a debug build."""
    made = identity.admin("/accounts", email="ana@customer.example")
    return identity.client("signInWithCustomToken", token='{"uid": "%s"}' % made["localId"])


@pytest.fixture
def page(browser, request):
    """Opens a link; at the end the console has to be silent, the policy held."""
    opened = Page(browser, request.node.name)
    browser.complaints()
    yield opened
    complaints = [c for c in browser.complaints() if not opened.expects(c["message"])]
    assert not complaints, complaints


class Page:
    def __init__(self, browser, name):
        self.browser, self.name = browser, name
        self.driver = browser.driver
        self.shots = 0
        self.expected = []

    def expects(self, message):
        """A refused call is a line of the console too."""
        return any(text in message for text in self.expected)

    def open(self, link, scheme="light", width=390):
        self.browser.show_as(width=width, scheme=scheme)
        self.driver.get(link)
        self.browser.wait("return document.querySelector('main h1')")
        self.shoot()
        return self

    def shoot(self):
        folder = os.environ.get("BRASA_SCREENSHOTS")
        if folder:
            self.shots += 1
            name = "".join(c if c.isalnum() else "-" for c in self.name)
            self.driver.save_screenshot(str(pathlib.Path(folder) / f"{name}-{self.shots}.png"))

    @property
    def title(self):
        return self.driver.find_element(By.TAG_NAME, "h1").text

    @property
    def text(self):
        return self.driver.find_element(By.TAG_NAME, "main").text

    def links(self):
        return [a.get_attribute("href") for a in self.driver.find_elements(By.TAG_NAME, "a")]

    def press(self):
        """Presses the one button and waits until the page has an answer, good or bad."""
        # By script: Chromium drops the mouse's clicks until a page was painted, which takes long on a busy machine.
        self.browser.run("document.querySelector('button').click()")
        self.browser.wait("return !document.querySelector('button:disabled')")
        self.shoot()

    def fits(self):
        """Whether nothing sticks out to the side."""
        return self.browser.run("return document.documentElement.scrollWidth <= window.innerWidth")


def email(identity, **body):
    identity.client("sendOobCode", **body)
    return identity.codes()[-1]["oobLink"]


LOOKS = [
    pytest.param("en", "light", id="english-light", marks=pytest.mark.slow),
    pytest.param("pt-BR", "dark", id="portuguese-dark"),
]


@pytest.mark.parametrize("language, scheme", LOOKS)
def test_a_new_password(identity, ana, page, language, scheme):
    identity.session.headers["X-Firebase-Locale"] = language
    link = email(identity, requestType="PASSWORD_RESET", email="ana@customer.example",
                  continueUrl="http://localhost/shop")
    page.open(link, scheme)
    assert page.title == ("Choose a new password" if language == "en" else "Escolha uma nova senha")
    assert "ana@customer.example" in page.text and page.fits()
    field = page.driver.find_element(By.CSS_SELECTOR, "input[type=password]")
    assert field == page.driver.switch_to.active_element
    assert field.get_attribute("autocomplete") == "new-password"
    page.expected.append("accounts:resetPassword")
    field.send_keys("1234")
    page.press()
    assert ("at least 6 characters" if language == "en" else "pelo menos 6 caracteres") in page.text
    [name] = page.driver.find_elements(By.CSS_SELECTOR, "input[autocomplete=username]")
    assert name.get_attribute("value") == "ana@customer.example" and not name.is_displayed()
    field.clear()
    field.send_keys("by the page 5")
    page.press()
    assert page.title == ("Done" if language == "en" else "Pronto")
    assert page.links() == ["http://localhost/shop"]
    identity.client("signInWithPassword", email="ana@customer.example", password="by the page 5")
    page.open(link, scheme)
    assert page.title == ("This link does not work" if language == "en" else "Este link não funciona")


def test_opening_a_link_changes_nothing(identity, ana, page):
    link = email(identity, requestType="VERIFY_EMAIL", idToken=ana["idToken"])
    page.open(link)
    page.open(link)
    assert identity.session.get(link, timeout=30).status_code == 200
    assert identity.session.head(link, timeout=30).status_code == 200
    [user] = identity.client("lookup", idToken=ana["idToken"])["users"]
    assert user["emailVerified"] is False
    page.press()
    [user] = identity.client("lookup", idToken=ana["idToken"])["users"]
    assert user["emailVerified"] is True


@pytest.mark.parametrize("language, scheme", LOOKS)
def test_a_change_of_address_and_back(identity, ana, page, language, scheme):
    identity.session.headers["X-Firebase-Locale"] = language
    page.open(email(identity, requestType="VERIFY_EMAIL", idToken=ana["idToken"]), scheme)
    page.press()
    new = "a.rather.long.address.of.ana.maria@department.of.a.customer.example"
    page.open(
        email(identity, requestType="VERIFY_AND_CHANGE_EMAIL", idToken=ana["idToken"], newEmail=new),
        scheme,
    )
    assert new in page.text and page.fits()
    page.press()
    [told] = [code for code in identity.codes() if code["requestType"] == "RECOVER_EMAIL"]
    assert told["email"] == "ana@customer.example"
    assert identity.admin("/accounts:lookup", email=[new])["users"]
    page.open(told["oobLink"], scheme)
    assert "ana@customer.example" in page.text
    page.press()
    assert ("choose a new one" if language == "en" else "escolha uma nova") in page.text
    [user] = identity.admin("/accounts:lookup", email=["ana@customer.example"])["users"]
    assert user["emailVerified"] is True


def test_a_sign_in_link_opens_the_app_at_once(identity, page):
    link = email(identity, requestType="EMAIL_SIGNIN", email="bia@customer.example",
                  continueUrl=f"{identity.base}/__/auth/handler?from=email", canHandleCodeInApp=True)
    page.open(link)
    on = page.driver.current_url
    fields = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(on).query))
    assert on.startswith(f"{identity.base}/__/auth/handler?from=email&")
    assert fields["mode"] == "signIn" and fields["apiKey"] == identity.project
    identity.client("signInWithEmailLink", email="bia@customer.example", oobCode=fields["oobCode"])


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "javascript:alert(1)", "//evil.example", "data:text/html,x"]
)
def test_a_link_leads_to_domains_of_the_project_only(identity, ana, page, target):
    """Whoever makes up a link cannot send people on to his own page."""
    link = email(identity, requestType="VERIFY_EMAIL", idToken=ana["idToken"])
    page.open(f"{link}&continueUrl={urllib.parse.quote(target, safe='')}")
    page.press()
    assert page.title == "Done" and page.links() == []
    page.open(link.replace("verifyEmail", "signIn") + f"&continueUrl={urllib.parse.quote(target, safe='')}")
    assert page.title == "This link does not work" and page.links() == []


def test_markup_in_a_link_stays_text(identity, page):
    hostile = "<img src=x onerror=document.title='broken'>"
    page.open(f"{identity.base}/__/auth/action?mode={urllib.parse.quote(hostile)}&oobCode=x&lang={hostile}")
    assert page.title == "This link does not work" and page.driver.title == "Brasa"
    page.expected.append("accounts:resetPassword")
    page.open(f"{identity.base}/__/auth/action?mode=verifyEmail&oobCode={urllib.parse.quote(hostile)}"
              f"&apiKey={urllib.parse.quote(hostile)}")
    assert page.driver.find_elements(By.TAG_NAME, "img") == [] and page.driver.title == "Brasa"


def test_a_person_is_asked_about_what_the_code_does(identity, ana, page):
    """A link whose words were changed asks nothing, and its code stays as it was."""
    link = email(identity, requestType="VERIFY_AND_CHANGE_EMAIL", idToken=ana["idToken"], newEmail="e$&e@example.com")
    for mode in ("verifyEmail", "recoverEmail", "resetPassword", "toString", "password", "__proto__"):
        page.open(link.replace("mode=verifyAndChangeEmail", f"mode={mode}"))
        assert page.title == "This link does not work", mode
    page.open(link)
    assert "e$&e@example.com" in page.driver.find_element(By.TAG_NAME, "main").text
    page.press()
    [user] = identity.admin("/accounts:lookup", localId=[ana["localId"]])["users"]
    assert user["email"] == "e$&e@example.com"


def test_no_other_page_can_show_or_use_it(identity, ana, page):
    """A frame stays empty, and a foreign page's post without the code does nothing."""
    link = email(identity, requestType="VERIFY_EMAIL", idToken=ana["idToken"])
    page.expected = ["frame-ancestors", "accounts:update", "Refused to", "violates"]
    page.driver.get("data:text/html,<main><h1>x</h1></main>")
    page.browser.run(
        "const it = document.createElement('iframe'); it.src = arguments[0];"
        "it.onload = () => { window.isLoaded = true }; document.body.append(it)", link,
    )
    page.browser.wait("return window.isLoaded")
    page.driver.switch_to.frame(0)
    assert page.driver.find_elements(By.TAG_NAME, "button") == []
    page.driver.switch_to.default_content()
    [user] = identity.client("lookup", idToken=ana["idToken"])["users"]
    assert user["emailVerified"] is False


def test_a_provider_leads_back_to_the_window_that_began(identity, page, tmp_path, server, project):
    """The code flow in a browser: our page begins, the provider's page asks, our handler hands over."""
    page.expected = ["favicon.ico", "cdn.jsdelivr.net"]  # of the provider's page
    from support import oidc, server as servers

    certificates = certificate_for(["localhost"], tmp_path / "certificates")
    provider = oidc.Provider(certificates)
    shop = servers.Brasa(
        tmp_path / "data", development=False,
        environment={
            "BRASA_PROJECT": project, "BRASA_OUTBOUND_PRIVATE": "true",
            "BRASA_OUTBOUND_CA": str(certificates / "authority.pem"),
        },
    ).start()
    try:
        identity = Identity(shop, project)
        identity.admin("/oauthIdpConfigs?oauthIdpConfigId=oidc.corp", version="v2",
                       token=shop.administrator_key, clientId="web", clientSecret="secret-of-the-web",
                       issuer=provider.issuer, enabled=True)
        provider.person("caio", email="caio@corp.example", email_verified=True, name="Caio")
        page.open(f"{shop.url}/__/auth/action?lang=en")
        begun = identity.client("createAuthUri", providerId="oidc.corp",
                                continueUri=f"{shop.url}/__/auth/handler?lang=pt-BR")
        page.browser.run(
            "addEventListener('message', (event) => { window.answer = [event.origin, event.data] });"
            "window.open(arguments[0])", begun["authUri"],
        )
        first = page.driver.current_window_handle
        [popup] = [handle for handle in page.driver.window_handles if handle != first]
        page.driver.switch_to.window(popup)
        page.browser.wait("return document.querySelector('input[name=sub]')")
        page.driver.find_element(By.NAME, "sub").send_keys("caio")
        page.driver.find_element(By.CSS_SELECTOR, "[type=submit]").click()
        page.driver.switch_to.window(first)
        origin, answer = page.browser.wait("return window.answer")
        assert origin == shop.url and answer["type"] == "brasa:signIn"
        assert page.driver.window_handles == [first]
        session = identity.client(
            "signInWithIdp", requestUri=answer["requestUri"], sessionId=begun["sessionId"],
            postBody="providerId=oidc.corp", returnSecureToken=True,
        )
        assert session["federatedId"] == "caio" and session["idToken"]
        page.open(f"{shop.url}/__/auth/handler?lang=pt-BR&code=c&state=s", "dark")
        assert page.title == "Login feito no provedor"
        page.open(f"{shop.url}/__/auth/handler?lang=pt-BR", "dark")
        assert page.title == "Este login já terminou"
    finally:
        page.driver.switch_to.window(page.driver.window_handles[0])
        provider.close()
        assert shop.stop() == 0
