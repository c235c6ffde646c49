"""Headless Firefox, driven over WebDriver BiDi by role and name; Debian's own, without a driver beside it."""

import itertools
import json
import re
import subprocess

import websocket

PREFERENCES = {
    # Nothing is asked of the network but what the tests ask for.
    "network.proxy.type": 0, "app.update.disabledForTesting": True, "datareporting.policy.dataSubmissionEnabled": False, "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore", "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,", "extensions.getAddons.cache.enabled": False, "intl.accept_languages": "en",
}
LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
KEYS = {"Control": "\ue009", "Enter": "\ue007", "Delete": "\ue017"}
# Runs in every page before its scripts.
WATCH = """() => {
  window.violations = [];
  addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
}"""
FRAME = "() => new Promise((resolve) => requestAnimationFrame(() => resolve(null)))"
DEADLINE_FRAMES = 1_800


class Firefox:
    """One Firefox with one tab."""

    def __init__(self, profile):
        profile.mkdir()
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()]
        (profile / "user.js").write_text("".join(lines))
        command = ["firefox-esr", "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0", "--width", "1280", "--height", "900"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        address = next((found[1] for line in self.process.stderr if (found := LISTENING.search(line))), None)
        assert address, "Firefox does not listen"
        self.numbers = itertools.count(1)
        self.theme = None
        self.socket = websocket.create_connection(f"{address}/session", timeout=60, suppress_origin=True)
        self.call("session.new", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})
        [tab] = self.call("browsingContext.getTree")["contexts"]
        self.tab = tab["context"]
        self.call("script.addPreloadScript", functionDeclaration=WATCH)
        self.call("session.subscribe", events=["browsingContext.load"])

    def call(self, method, *, looks=False, **parameters):
        """One command; its result. What only `looks` is asked again of a page that loads meanwhile: of the one before no answer comes."""
        number = self.send(method, parameters)
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == number:
                assert answer["type"] == "success", answer
                return answer["result"]
            if looks and answer.get("method") == "browsingContext.load":
                number = self.send(method, parameters)

    def send(self, method, parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        return number

    def open(self, url, language="en"):
        """Opens a view in a browser of that language."""
        self.call("emulation.setLocaleOverride", contexts=[self.tab], locale=language)
        self.call("browsingContext.navigate", context=self.tab, url=url, wait="complete")

    def show_as(self, width, scheme):
        """Makes the tab so wide, and the console light or dark, from the next page on."""
        self.call("browsingContext.setViewport", context=self.tab, viewport={"width": width, "height": 900})
        if self.theme:
            self.call("script.removePreloadScript", script=self.theme)
        choice = f"() => localStorage.setItem('brasa.theme', {json.dumps(scheme)})"
        self.theme = self.call("script.addPreloadScript", functionDeclaration=choice)["script"]

    def run(self, function, *arguments, looks=False):
        """What a function gives in the page, awaited; arguments are texts or nodes."""
        values = [{"type": "string", "value": one} if isinstance(one, str) else one for one in arguments]
        target = {"context": self.tab}
        answer = self.call("script.callFunction", looks=looks, functionDeclaration=function, target=target, arguments=values, awaitPromise=True)
        assert answer["type"] == "success", answer
        return answer["result"].get("value")

    def until(self, condition, complaint):
        """What the condition returns once that is something, asked anew with each frame of the page."""
        for _ in range(DEADLINE_FRAMES):
            if found := condition():
                return found
            self.run(FRAME, looks=True)
        raise AssertionError(f"{complaint} on:\n" + self.run("() => location + '\\n' + document.body.innerText.slice(0, 2000)"))

    def nodes(self, kind, value):
        """What the page has of an accessible role and name, or of a CSS selector, now."""
        return self.call("browsingContext.locateNodes", looks=True, context=self.tab, locator={"type": kind, "value": value})["nodes"]

    def find(self, role, name):
        """The element of a role and a name, as soon as it is there; the last of several, which is on top."""
        return self.until(lambda: (self.nodes("accessibility", {"role": role, "name": name}) or [None])[-1], f"no {role} {name!r}")

    def click(self, role, name):
        node = self.find(role, name)
        self.run("(node) => node.scrollIntoView({ block: 'center' })", node)
        origin = {"type": "element", "element": {"sharedId": node["sharedId"]}}
        steps = [{"type": "pointerMove", "x": 0, "y": 0, "origin": origin}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("input.performActions", context=self.tab, actions=[{"type": "pointer", "id": "mouse", "actions": steps}])

    def press(self, *keys):
        """Presses keys together, by their names or as letters."""
        values = [KEYS.get(key, key) for key in keys]
        steps = [{"type": "keyDown", "value": value} for value in values] + [{"type": "keyUp", "value": value} for value in reversed(values)]
        self.call("input.performActions", context=self.tab, actions=[{"type": "key", "id": "keys", "actions": steps}])

    def fill(self, name, text, role="textbox"):
        """Replaces the text of a field, letter by letter."""
        self.type_into(self.find(role, name), text)

    def type_into(self, node, text):
        self.run("(node) => node.focus()", node)
        self.press("Control", "a")
        self.press("Delete")
        steps = [{"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]
        self.call("input.performActions", context=self.tab, actions=[{"type": "key", "id": "keys", "actions": steps}])

    def select(self, selector):
        """The first element of a CSS selector, as soon as it is there: what has no role, such as a password."""
        return self.until(lambda: (self.nodes("css", selector) or [None])[0], f"no {selector}")

    def choose_files(self, selector, *paths):
        """Gives files to a field, as the dialog of the system would."""
        node = self.select(selector)
        self.call("input.setFiles", context=self.tab, element={"sharedId": node["sharedId"]}, files=[str(path) for path in paths])

    def sees(self, text):
        """Waits until the page shows a text."""
        self.until(lambda: self.run("(text) => document.body.innerText.includes(text)", text, looks=True), f"no text {text!r}")

    def violations(self):
        """What the page's policy kept it from doing since it was opened."""
        return [one["value"] for one in self.run("() => window.violations")]

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait(timeout=30)
        self.process.stderr.close()
