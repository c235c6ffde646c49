"""Headless Chromium, and the server of the pages that it opens."""

import functools
import http.server
import pathlib
import re
import ssl
import threading
import time

from selenium import webdriver
from selenium.common.exceptions import JavascriptException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

PAGES = pathlib.Path(__file__).resolve().parents[1] / "pages"


class Pages:
    """Serves `Tests/Clients/pages` on an origin of its own."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    def __init__(self, certificate=None):
        """Over TLS with the certificate of a directory that `certificate_for` made."""
        handler = functools.partial(self.Handler, directory=str(PAGES))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate / "server.pem", certificate / "server-key.pem")
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            self.url = f"https://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Shown(str):
    """What a failure says, with what the page showed at that moment."""

    def __new__(cls, driver, text):
        made = super().__new__(cls, text)
        made.driver = driver
        return made

    def __str__(self):
        return super().__str__() + " on:\n" + self.driver.execute_script("return location + '\\n' + (document.body?.innerText ?? '').slice(0, 2000)")


class Browser:
    """One Chromium with tabs."""

    def __init__(self, hosts=()):
        """With further names of hosts that lead to ports of this machine: `("apis.google.com", 4443)`."""
        rules = ",".join(["MAP *.example 127.0.0.1", *(f"MAP {name} 127.0.0.1:{port}" for name, port in hosts)])
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        options.accept_insecure_certs = True
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "no-proxy-server",
                         # Foreign pages, which are on this machine too.
                         f"host-resolver-rules={rules}"):
            options.add_argument(f"--{argument}")
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(120)

    def open(self, url):
        """Opens a page in the current tab and waits until its script has run."""
        self.driver.get(url)
        self.wait("return window.isReady === true")

    def open_tab(self, url):
        """Opens a page in a new tab; gives the tab, which is the current one then."""
        self.driver.switch_to.new_window("tab")
        self.open(url)
        return self.driver.current_window_handle

    def run(self, script, *arguments):
        """What the script returns, as soon as the elements that it names are there."""
        deadline = time.monotonic() + 120
        while True:
            try:
                return self.driver.execute_script(script, *arguments)
            except JavascriptException as error:
                is_missing = re.search(r"Cannot (read|set) properties of (null|undefined)", error.msg or "")
                if not is_missing or time.monotonic() > deadline:
                    raise

    def wait(self, script, *arguments, seconds=120):
        """What the script returns once that is something."""
        wait = WebDriverWait(self.driver, seconds, poll_frequency=0.05)
        return wait.until(lambda _: self.run(script, *arguments), Shown(self.driver, f"never came: {script} {arguments or ''}"))

    def show_as(self, width=390, height=844, scheme="light", density=2):
        """Makes the current tab a phone, or another window, in light or dark, with so many pixels to one of CSS."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": density, "mobile": width < 600},
        )
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def complaints(self):
        """What the console has said as warning or error since the last question."""
        return [entry for entry in self.driver.get_log("browser") if entry["level"] != "INFO"]

    def close(self):
        self.driver.quit()
