"""A page that plays Google's SDK for the web, and the pages of the server and of a provider that a sign-in passes."""

from selenium.webdriver.common.by import By


class SignInPage:
    """`pages/sign-in.html` in a tab, for one project of a server."""

    def __init__(self, browser, pages, server_url, project, mode):
        self.browser, self.driver = browser, browser.driver
        self.address = f"{pages}/sign-in.html?server={server_url}&project={project}&mode={mode}"
        self.first = self.driver.current_window_handle

    def open(self, more=""):
        self.browser.open(self.address + more)
        return self

    def sign_up(self, email):
        return self.later("signUp(arguments[0])", email)

    def later(self, expression, *arguments):
        """Waits for a promise of the page."""
        script = f"const done = arguments[arguments.length - 1]; ({expression}).then(done, (e) => done(String(e)))"
        return self.driver.execute_async_script(script, *arguments)

    def popup(self, auth_type, provider, **options):
        """Begins in a popup, which is the current window afterwards."""
        self.start_popup(auth_type, provider, **options)
        found = [handle for handle in self.wait_for_windows(2, self.ended_early) if handle != self.first]
        self.driver.switch_to.window(found[0])
        return self

    def ended_early(self):
        """The error of a sign-in that ended before its popup opened."""
        return self.driver.execute_script("return window.outcome?.error")

    def start_popup(self, auth_type, provider, **options):
        """Begins in a popup that may close by itself."""
        self.browser.run(
            "startPopup(arguments[0], arguments[1])", auth_type, {"providerId": provider, **options})

    def redirect(self, auth_type, provider, **options):
        self.browser.run(
            "startRedirect(arguments[0], arguments[1])", auth_type, {"providerId": provider, **options})
        return self

    def wait_for_windows(self, count, reason=lambda: None):
        """The windows once there are so many; ends with the reason where there is one why there never will be."""
        from selenium.webdriver.support.ui import WebDriverWait

        def are_there(driver):
            if len(driver.window_handles) == count:
                return True
            said = reason()
            assert not said, f"there are no {count} windows: {said}"
            return False

        WebDriverWait(self.driver, 120, 0.05).until(are_there, f"never were {count} windows")
        return self.driver.window_handles

    def outcome(self):
        """The end of the sign-in in the app's page; the popup is gone by then."""
        self.driver.switch_to.window(self.first)
        found = self.browser.wait("return window.outcome")
        return found.get("value") or found["error"]

    def result(self):
        """The end of a redirect, once the app's page is there again."""
        self.browser.wait("return document.title === 'Sign-in with a provider' && window.isReady === true")
        self.browser.run("startResult()")
        self.browser.wait("return window.outcome")
        return self.browser.run("return outcome.error ?? outcome.value")

    def invent(self, email, **fields):
        """Development's page: a new account, by the ids of the Auth emulator's page."""
        self.browser.wait("return window.toggleForm && document.title.includes('Auth Emulator')")
        self.browser.run("document.querySelector('.js-new-account').click()")
        for name, value in {"email": email, **fields}.items():
            self.driver.find_element(By.ID, f"{name}-input").send_keys(value)
        self.browser.run("document.querySelector('#sign-in').click()")

    def choose(self, email):
        """Development's page: an account that signed in before."""
        self.browser.wait("return document.querySelector('#accounts-list li.js-reuse-account')")
        self.browser.run(
            "[...document.querySelectorAll('#accounts-list li')].find((b) => b.textContent.includes(arguments[0])).click()", email)

    def consent(self, subject):
        """The provider's page: somebody signs in."""
        self.browser.wait("return document.querySelector('input[name=sub]')")
        self.driver.find_element(By.NAME, "sub").send_keys(subject)
        self.browser.run("document.querySelector('[type=submit]').click()")

    def decline(self):
        """The provider's page: somebody says no."""
        self.browser.wait("return document.querySelector('button[name=action][value=deny]')")
        self.browser.run("document.querySelector('button[name=action][value=deny]').click()")

    def close_popups(self):
        for handle in self.driver.window_handles:
            if handle != self.first:
                self.driver.switch_to.window(handle)
                self.driver.close()
        self.driver.switch_to.window(self.first)

    @property
    def shown(self):
        return self.browser.wait("return document.querySelector('main h1')?.textContent")
