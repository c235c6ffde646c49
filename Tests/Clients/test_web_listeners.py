"""Listeners in a page whose user an administrator removes: they end without an uncaught error."""

import itertools

import pytest

from support import browser as browsers, rules, server as servers
from support.identity import Identity

pytestmark = pytest.mark.brasa_only

RULES = rules.service(
    "match /notes/{id} { allow read: if request.auth != null; } match /news/{id} { allow read; }"
)
PERMISSION_DENIED = 7
numbers = itertools.count()


@pytest.fixture(scope="module")
def pages():
    made = browsers.Pages()
    yield made
    made.close()


class Shop:
    """A server with rules, its administrator, and the page of one of its users."""

    def __init__(self, browser, pages, server, project, key, authority=True):
        rules.RulesAPI(server.url, project, key, authority).deploy(RULES)
        self.identity, self.key = Identity(server, project, verify=authority), key
        self.project, self.server, self.authority = project, server, authority
        self.browser = browser
        browser.open(f"{pages.url}/listener.html?server={server.url}&project={project}")
        browser.complaints()

    def write(self, path, text):
        url = f"{self.server.url}/v1/projects/{self.project}/databases/(default)/documents/{path}"
        answer = self.identity.session.patch(
            url, json={"fields": {"text": {"stringValue": text}}}, headers={"Authorization": f"Bearer {self.key}"}, timeout=60)
        assert answer.status_code == 200, answer.text

    def sign_up(self):
        script = "const done = arguments[1]; signUp(arguments[0]).then(done, (e) => done(String(e)))"
        self.uid = self.browser.driver.execute_async_script(script, f"ana{next(numbers)}@{self.project}.example")
        return self.uid

    def listen(self, path):
        kind = "Document" if "/" in path else "Collection"
        self.browser.run(f"listenTo{kind}(arguments[0])", path)

    def remove(self, way):
        """Removes the user, as an administrator does."""
        if way == "disabled":
            self.identity.admin("/accounts:update", token=self.key, localId=self.uid, disableUser=True)
        elif way == "deleted":
            self.identity.admin("/accounts:delete", token=self.key, localId=self.uid)
        else:
            self.identity.admin("/accounts:batchDelete", token=self.key, localIds=[self.uid], force=True)

    def app(self, name, count):
        """The calls of one of the app's functions, once there are `count`."""
        self.browser.wait("return app[arguments[0]].length >= arguments[1]", name, count)
        return self.browser.run("return app[arguments[0]]", name)

    def complaints(self):
        """The messages in the browser's console. The browser itself logs the refused refresh, as it does with Google's server."""
        assert self.browser.run("return uncaught") == []
        return [one for one in self.browser.complaints() if "/securetoken.googleapis.com/v1/token" not in one["message"]]


@pytest.fixture(params=["development", "production"])
def shop(request, browser, pages, project):
    if request.param == "development":
        return Shop(browser, pages, request.getfixturevalue("server"), project, "owner")
    production = request.getfixturevalue("production")
    return Shop(browser, pages, production, servers.PROJECT, production.administrator_key, production.authority)


@pytest.mark.parametrize("way", ["deleted", "deleted with others", "disabled"])
@pytest.mark.parametrize("path", ["notes/a", "notes"])
def test_the_listener_of_a_user_who_is_removed_ends(shop, path, way):
    shop.write("notes/a", "hello")
    uid = shop.sign_up()
    shop.listen(path)
    assert shop.app("snapshots", 1) == ["hello"]
    shop.remove(way)
    # The app receives the sign-out, and the rules deny the listener without a user.
    assert shop.app("errors", 1) == [PERMISSION_DENIED]
    assert shop.app("users", 2) == [uid, None]
    refusal = "USER_DISABLED" if way == "disabled" else "TOKEN_EXPIRED"
    assert shop.browser.run("return log") == ["stream: UNAUTHENTICATED", "opening: UNAUTHENTICATED", f"refresh: {refusal}"]
    assert shop.complaints() == []


def test_a_listener_that_everybody_may_have_goes_on(shop):
    shop.write("news/a", "first")
    uid = shop.sign_up()
    shop.listen("news")
    assert shop.app("snapshots", 1) == ["first"]
    shop.remove("deleted")
    assert shop.app("users", 2) == [uid, None]
    shop.write("news/a", "second")
    shop.browser.wait("return app.snapshots.includes('second')")
    assert shop.browser.run("return app.errors") == [] and shop.complaints() == []
