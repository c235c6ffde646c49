"""The console in a browser, driven by role and name as people and screen readers find things."""

from selenium.common.exceptions import ElementClickInterceptedException, NoAlertPresentException, StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from support.browser import Shown

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

# A view of each page, of a project with the documents products/chair and products/table; test_console_access compares them with what the rail and the pages lead to.
PAGES = [
    "overview", "firestore/-default-/data", "firestore/-default-/data/products", "firestore/-default-/data/products?view=json", "firestore/-default-/data/products/chair?view=tree", "firestore/-default-/data/products/chair", "firestore/-default-/indexes",
    "firestore/-/create", "rules", "users", "files", "config", "config/experiments", "requests", "requests/all", "requests/log", "settings", "settings/methods", "settings/administrators", "settings/audit",
    "messages", "messages/compose", "messages/topics", "messages/credentials", "analytics", "analytics/events", "analytics/funnel", "analytics/audiences", "analytics/timeline", "analytics/live",
    "analytics/debugview", "operations", "operations/log", "operations/jobs",
    "functions", "functions/logs", "functions/events", "functions/schedules", "functions/releases", "hosting", "hosting/channels", "hosting/domains", "backups",
]

# The elements in sight that a selector names and whose texts, with those of what names them, have all of some words. Each of
# these few is asked for its name then: that goes through the driver, and a long table has thousands of links.
CANDIDATES = """
const [selector, words] = arguments;
const texts = (one) => [one.textContent, one.value, ...[one, ...one.querySelectorAll("*")].flatMap((part) => [...part.attributes].map((it) => it.value))];
const naming = (one) => [one, ...(one.labels ?? []), ...(one.getAttribute("aria-labelledby") ?? "").split(/\\s+/).map((id) => document.getElementById(id))];
const has = (one) => {
  const text = naming(one).filter(Boolean).flatMap(texts).join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
};
return [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility({ visibilityProperty: true }) && has(one));
"""

POLICY_WORDS = ("Content Security Policy", "TrustedHTML", "Refused to")


def is_gone(error):
    """Whether what failed was done to an element that has been drawn anew; also in Chromium's own words of it."""
    return isinstance(error, StaleElementReferenceException) or "does not belong to the document" in str(error)


class Console:
    """A tab of the console."""

    def __init__(self, browser, server, project):
        self.browser = browser
        self.driver = browser.driver
        self.server = server
        self.project = project
        # Whether pages are opened with the lock against writing.
        self.is_locked = False

    def open(self, path="overview", language="en"):
        """Opens a view in a language, and waits until it has loaded something."""
        self.driver.get(f"{self.server.url}/__/console/none/none")
        kept = {"language": language} | ({"readOnly": "on"} if self.is_locked else {})
        self.browser.run("localStorage.clear(); for (const [name, text] of Object.entries(arguments[0])) localStorage.setItem(`brasa.${name}`, text)", kept)
        self.driver.get(f"{self.server.url}/console/{self.project}/{path}")
        self.browser.wait("return document.querySelector('.shell main')?.childElementCount > 0 && !document.querySelector('main > .body > p.muted:only-child')")
        return self

    def all(self, role, name=None):
        """The elements in sight of a role, of a name if one is given."""
        # Signs without a letter or digit may be drawn by the style.
        words = [word for word in (name or "").lower().split() if any(sign.isalnum() for sign in word)]
        return [one for one in self.driver.execute_script(CANDIDATES, ROLES[role], words) if self.is_named(one, name)]

    @staticmethod
    def is_named(element, name):
        """Whether an element is in sight and has that name, if one is given; false once it has been drawn anew."""
        try:
            return element.is_displayed() and (name is None or element.accessible_name.strip() == name)
        except WebDriverException as error:
            if not is_gone(error):
                raise
            return False

    def find(self, role, name=None):
        """The one element of a role and name, as soon as it is there."""
        return self.until(lambda: (self.all(role, name) or [None])[-1], f"no {role} {name!r}")

    def click(self, role, name=None):
        """Clicks on an element, once nothing covers it; on the one drawn in its stead if it goes meanwhile."""
        def is_clicked():
            found = self.all(role, name)
            return bool(found) and self.reaches(found[-1].click)

        self.until(is_clicked, f"no {role} {name!r} to click on")

    @staticmethod
    def reaches(act):
        """Does something to an element; false where another covers it, or it has been drawn anew."""
        try:
            act()
        except WebDriverException as error:
            if not (is_gone(error) or isinstance(error, ElementClickInterceptedException)):
                raise
            return False
        return True

    def dismiss_question(self):
        """Answers No to what the browser asks, as soon as it does."""
        def is_dismissed():
            self.driver.switch_to.alert.dismiss()
            return True

        self.until(is_dismissed, "no question", NoAlertPresentException)

    def until(self, condition, complaint, *ignored):
        """What the condition returns once that is something; asked again where an element that it looks at has been drawn anew."""
        def is_met():
            try:
                return condition()
            except WebDriverException as error:
                if not is_gone(error):
                    raise
                return False

        wait = WebDriverWait(self.driver, 120, poll_frequency=0.05, ignored_exceptions=ignored)
        return wait.until(lambda _: is_met(), Shown(self.driver, complaint))

    def fill(self, name, text, role="textbox"):
        """Replaces the text of a field."""
        def write():
            field = self.find(role, name)
            field.send_keys(Keys.CONTROL, "a")
            field.send_keys(Keys.DELETE)
            field.send_keys(text)

        self.until(lambda: self.reaches(write), f"no {role} {name!r} to fill")

    def look(self, role, name, reading):
        """What a reading of an element gives, as soon as it is there; of the one drawn in its stead if it goes meanwhile."""
        return self.until(lambda: [reading(self.find(role, name))], f"no {role} {name!r} to look at")[0]

    def read(self, name, attribute="value"):
        """What a field holds."""
        return self.look("textbox", name, lambda field: field.get_attribute(attribute))

    def text(self, role, name=None):
        """What an element shows."""
        return self.look(role, name, lambda element: element.text)

    def is_enabled(self, name):
        """Whether a button can be pressed."""
        return self.look("button", name, lambda button: button.is_enabled())

    def put(self, name, text):
        """Puts a text into a field as a paste does; for what no keyboard types."""
        self.set("textbox", name, text, "input")

    def choose(self, name, value):
        """Chooses an option by its value."""
        self.set("combobox", name, value, "change")

    def set(self, role, name, value, event):
        """Gives an element a value and says so, as a person's hand does."""
        script = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event(arguments[2], { bubbles: true }))"

        def is_set():
            self.browser.run(script, self.find(role, name), value, event)
            return True

        self.until(is_set, f"no {role} {name!r} to set")

    def sees(self, text):
        """Waits until the page shows a text."""
        self.browser.wait("return document.body.innerText.includes(arguments[0])", text)

    def sees_not(self, text):
        self.browser.wait("return !document.body.innerText.includes(arguments[0])", text)

    def violations(self):
        """What the browser had to keep the page from doing."""
        return [entry["message"] for entry in self.browser.complaints() if any(word in entry["message"] for word in POLICY_WORDS)]
