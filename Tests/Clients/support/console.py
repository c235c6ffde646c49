"""The console in a browser, driven by role and name as people and screen readers find things."""

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

# Which element has a role and a name: from the browser's own accessibility tree.
ROLES = {
    "button": "button, [role=button]",
    "link": "a[href]",
    "textbox": "input:not([type=checkbox]):not([type=radio]), textarea",
    "combobox": "select, [role=combobox]",
    "checkbox": "input[type=checkbox]",
    "radio": "input[type=radio]",
    "heading": "h1, h2, h3",
    "tab": "[role=tab]",
    "row": "[role=row], tr",
    "gridcell": "[role=gridcell]",
    "dialog": "dialog",
    "navigation": "nav",
    "alert": "[role=alert]",
    "complementary": "aside",
}

POLICY_WORDS = ("Content Security Policy", "TrustedHTML", "Refused to")


class Shown(str):
    """What a failure says, with what the page showed at that moment."""

    def __new__(cls, driver, text):
        made = super().__new__(cls, text)
        made.driver = driver
        return made

    def __str__(self):
        return super().__str__() + " on:\n" + self.driver.execute_script("return location + '\\n' + document.body.innerText.slice(0, 2000)")


class Console:
    """A tab of the console."""

    def __init__(self, browser, server, project):
        self.browser = browser
        self.driver = browser.driver
        self.server = server
        self.project = project

    def open(self, path="overview", language="en"):
        """Opens a view in a language, and waits until it has loaded something."""
        self.driver.get(f"{self.server.url}/__/console/none/none")
        self.browser.run("localStorage.clear(); localStorage.setItem('brasa.language', arguments[0])", language)
        self.driver.get(f"{self.server.url}/console/{self.project}/{path}")
        self.browser.wait("return document.querySelector('.shell main')?.childElementCount > 0 && !document.querySelector('main > .body > p.muted:only-child')")
        return self

    def all(self, role, name=None):
        """The elements in sight of a role, of a name if one is given."""
        found = [one for one in self.driver.find_elements(By.CSS_SELECTOR, ROLES[role]) if one.is_displayed()]
        return [one for one in found if name is None or one.accessible_name.strip() == name]

    def find(self, role, name=None):
        """The one element of a role and name, as soon as it is there."""
        from selenium.common.exceptions import StaleElementReferenceException
        from selenium.webdriver.support.ui import WebDriverWait

        wait = WebDriverWait(self.driver, 30, poll_frequency=0.05, ignored_exceptions=[StaleElementReferenceException])
        return wait.until(lambda _: (self.all(role, name) or [None])[-1], Shown(self.driver, f"no {role} {name!r}"))

    def click(self, role, name=None):
        self.find(role, name).click()

    def fill(self, name, text, role="textbox"):
        """Replaces the text of a field."""
        field = self.find(role, name)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(Keys.DELETE)
        field.send_keys(text)

    def put(self, name, text):
        """Puts a text into a field as a paste does; for what no keyboard types."""
        self.browser.run(
            "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', { bubbles: true }))",
            self.find("textbox", name), text,
        )

    def choose(self, name, value):
        """Chooses an option by its value."""
        self.browser.run(
            "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change', { bubbles: true }))",
            self.find("combobox", name), value,
        )

    def sees(self, text):
        """Waits until the page shows a text."""
        self.browser.wait("return document.body.innerText.includes(arguments[0])", text)

    def sees_not(self, text):
        self.browser.wait("return !document.body.innerText.includes(arguments[0])", text)

    def violations(self):
        """What the browser had to keep the page from doing."""
        return [entry["message"] for entry in self.browser.complaints() if any(word in entry["message"] for word in POLICY_WORDS)]
