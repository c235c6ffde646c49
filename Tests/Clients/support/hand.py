"""A person's hand in the console, in Chromium or Firefox, that counts its clicks."""

import itertools

_rounds = itertools.count()

# Elements of a role and an accessible name, for both browsers; the last is the one on top.
NAMED = """([role, name]) => {
  const roles = { button: "button, [role=button], summary", link: "a[href]", textbox: "input:not([type=checkbox]):not([type=radio]), textarea", combobox: "select", checkbox: "input[type=checkbox]", radio: "input[type=radio]",
    tab: "[role=tab]", gridcell: "[role=gridcell]", columnheader: "[role=columnheader]", dialog: "dialog[open]", heading: "h1, h2, h3", complementary: "aside" };
  const text = (one) => one.getAttribute("aria-label") ?? (one.getAttribute("aria-labelledby") && document.getElementById(one.getAttribute("aria-labelledby"))?.textContent) ?? (one.labels?.[0] ? [...one.labels[0].childNodes].filter((node) => node !== one && !node.contains?.(one)).map((node) => node.textContent).join("") : null) ?? one.textContent;
  const inFront = document.querySelector("dialog[open]:last-of-type");
  const found = [...document.querySelectorAll(roles[role])].filter((one) => one.checkVisibility() && text(one).replace(/\\s+/g, " ").trim() === name && (!inFront || inFront.contains(one) || one === inFront));
  return found.at(-1) ?? null;
}"""


class Hand:
    """Does in a console's tab what a person does, by role and name, and counts clicks and keys' chords."""

    def __init__(self, tab, server, project, words):
        self.tab = tab
        self.server = server
        self.project = project
        self.words = words
        self.clicks = 0
        self.is_firefox = hasattr(tab, "tab")

    def run(self, function, *arguments):
        """What a function gives in the page; its argument is a list of texts."""
        if self.is_firefox:
            packed = {"type": "array", "value": [{"type": "string", "value": one} for one in arguments]}
            answer = self.tab.call("script.callFunction", looks=True, functionDeclaration=function, target={"context": self.tab.tab}, arguments=[packed], awaitPromise=True)
            assert answer["type"] == "success", answer
            return answer["result"].get("value")
        return self.tab.driver.execute_script(f"return ({function})(arguments[0])", list(arguments))

    def until(self, condition, complaint):
        return self.tab.until(condition, complaint)

    def open(self, path):
        """Opens a view by its address; that is no click."""
        url = f"{self.server.url}/console/{self.project}/{path}"
        if self.is_firefox:
            # Only a new page closes the dialogs of the one before.
            self.tab.open(f"{self.server.url}/__/console/none/{next(_rounds)}", self.words.language)
            self.tab.open(url, self.words.language)
        else:
            self.tab.open(path, self.words.language)
        self.until(lambda: self.run("() => document.querySelector('.shell main')?.childElementCount > 0 && !document.querySelector('main > .body > p.muted:only-child')"), f"no {path}")

    def has(self, role, name):
        """Whether there is an element of that role and name in front."""
        return self.run(f"(found) => ({NAMED})(found) !== null", role, name)

    def find(self, role, name):
        self.until(lambda: self.has(role, name), f"no {role} {name!r}")

    def act(self, role, name, what, *arguments):
        """Does something to an element, as soon as it is there and can be used."""
        script = f"([role, name, ...rest]) => {{ const one = ({NAMED})([role, name]); if (!one || one.disabled) return false; one.scrollIntoView({{ block: 'center' }}); {what}; return true; }}"
        self.until(lambda: self.run(script, role, name, *arguments), f"no {role} {name!r} to use")

    def click(self, role, name):
        self.clicks += 1
        self.act(role, name, "one.click()")

    def fill(self, name, text, role="textbox"):
        """Puts a text into a field, as typing does; a click goes to it."""
        self.clicks += 1
        self.act(role, name, "one.focus(); one.value = rest[0]; one.dispatchEvent(new Event('input', { bubbles: true })); one.dispatchEvent(new Event('change', { bubbles: true }))", text)

    def choose(self, name, value):
        """Chooses an option by its value: a click to open and one to choose."""
        self.clicks += 2
        self.act("combobox", name, "one.value = rest[0]; one.dispatchEvent(new Event('input', { bubbles: true })); one.dispatchEvent(new Event('change', { bubbles: true }))", value)

    def enter(self, name):
        """Enter in a field sends its form."""
        self.clicks += 1
        self.act("textbox", name, "one.form.requestSubmit()")

    def press(self, key, control=False):
        """A chord of keys where the focus is."""
        self.clicks += 1
        script = "([key, control]) => (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey: control === 'yes', bubbles: true, cancelable: true }))"
        self.run(script, key, "yes" if control else "")

    def files(self, *paths):
        """Gives files to the page's field, as the dialog of the system does."""
        self.clicks += 2
        if self.is_firefox:
            self.tab.choose_files("input[type=file]", *paths)
        else:
            self.tab.driver.find_element("css selector", "input[type=file]").send_keys("\n".join(map(str, paths)))

    def sees(self, text):
        self.until(lambda: self.run("([text]) => document.body.innerText.includes(text)", text), f"no text {text!r}")

    def value(self, name, role="textbox"):
        """What a field holds."""
        self.find(role, name)
        return self.run(f"(found) => ({NAMED})(found)?.value ?? null", role, name)

    def submit(self):
        """Presses the button that does what the dialog in front is for."""
        self.clicks += 1
        self.until(lambda: self.run("() => { const one = [...document.querySelectorAll('dialog[open] button[type=submit]')].at(-1); if (!one || one.disabled) return false; one.click(); return true; }"), "nothing to submit")

    def closes(self):
        """Waits until no dialog is open."""
        self.until(lambda: self.run("() => document.querySelector('dialog[open]') === null"), "a dialog is still open")
