"""Starts the examples' processes and a headless Chromium for the browser tests."""

import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from wire import Wire, trusting

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("EXAMPLES_PROGRAM", ROOT / ".build/debug/examples"))
BRASA = pathlib.Path(os.environ.get("BRASA_BINARY", ROOT.parent / ".build/debug/brasa"))
# The certificate whose authority all processes of these tests trust; None where they do not run as `Examples/test` runs
# them.
TRUSTED = os.environ.get("BRASA_TEST_CERTIFICATES")
TRUSTED = TRUSTED and pathlib.Path(TRUSTED)
PATIENCE = 120


class Process:
    """One running part of an example; `address` is where it listens."""

    def __init__(self, *arguments, environment=None):
        self.arguments = arguments
        self.environment = {**os.environ, **(environment or {})}
        self.address = None
        self.start()

    def start(self, port=None):
        arguments = list(self.arguments)
        if port:
            arguments += ["--port", str(port)]
        self.process = subprocess.Popen(
            [str(PROGRAM), *arguments], stdout=subprocess.PIPE, text=True, env=self.environment
        )
        line = self.process.stdout.readline()
        assert line.startswith("listening on "), f"{arguments} said {line!r}"
        self.address = line.split()[-1]

    @property
    def port(self):
        return int(self.address.rsplit(":", 1)[1])

    def stop(self, how=signal.SIGTERM):
        """Ends the process; one that was asked to must end by itself, and well."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.process.stdout.close()
        assert how != signal.SIGTERM or code in (0, -signal.SIGKILL), f"exit code {code}"

    def restart(self):
        """The same part on the same port, as a service that comes back."""
        self.start(self.port)


class Server:
    """A Brasa in production mode."""

    environment = {}
    # The folder of the certificate that it is reached by; without one it speaks plain text.
    certificates = None

    def __init__(self, data):
        self.data = data
        self.port = 0
        self.start()

    def start(self):
        """Starts the server; after `stop` on the same port."""
        self.log = open(self.data.with_suffix(".log"), "a")
        arguments = ["serve", "--port", str(self.port), "--data", str(self.data)]
        if self.certificates:
            arguments += ["--tls-certificate", str(self.certificates / "server.pem")]
            arguments += ["--tls-key", str(self.certificates / "server-key.pem")]
        self.process = subprocess.Popen(
            [str(BRASA), *arguments],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env={**os.environ, **self.environment},
        )
        for line in self.process.stdout:
            if line.startswith("brasa listening "):
                self.port = int(line.split(" port=")[1].split()[0])
                break
        assert self.process.poll() is None and self.port, self.data.with_suffix(".log").read_text()
        self.address = f"{'https' if self.certificates else 'http'}://127.0.0.1:{self.port}"

    def stop(self):
        """Ends the server as a crash would."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()

    def command(self, *arguments):
        """Runs a command on the server's data and gives what it prints."""
        return subprocess.run(
            [str(BRASA), *map(str, arguments), "--data", str(self.data)],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout

    def administer(self, method, path, body=None):
        """Calls an administrator's API and gives what it answers."""
        # The first start prints the key of its administrator to the terminal.
        key = re.search(r"brasa-admin-\w+", self.data.with_suffix(".log").read_text())[0]
        request = urllib.request.Request(
            self.address + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
            method=method,
        )
        tls = trusting(self.certificates)
        with urllib.request.urlopen(request, timeout=PATIENCE, context=tls) as reply:
            return json.loads(reply.read() or b"null")


class Brasa(Server):
    """One with an example's rules and sample data, that lets people in without a name."""

    def __init__(self, data, project, example):
        super().__init__(data)
        self.command("import", example / "Data", "--project", project)
        self.command("rules", "deploy", example / "firestore.rules", "--project", project)
        self.administer(
            "PATCH",
            f"/v2/projects/{project}/config?updateMask=signIn.anonymous.enabled",
            {"signIn": {"anonymous": {"enabled": True}}},
        )


class Proxy:
    """Stands between pages and a service: passes, holds, or answers in the service's place."""

    def __init__(self, address):
        self.address_behind = address
        self.open = threading.Event()
        self.open.set()
        self.answer = None
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                proxy.open.wait(PATIENCE)
                status, kind, reply = proxy.reply(self.command, self.path, self.headers, body)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def hold(self):
        """Requests wait until `release`: a service as slow as the test likes."""
        self.open.clear()

    def release(self):
        self.open.set()

    def fail(self, status, message):
        """The same refusal for every request; `recover` ends it."""
        error = {"error": {"code": status, "message": message}}
        self.answer = status, "application/json", json.dumps(error).encode()

    def recover(self):
        self.answer = None

    def reply(self, method, path, headers, body):
        if self.answer:
            return self.answer
        kept = {n: headers[n] for n in ("Authorization", "Content-Type") if headers[n]}
        request = urllib.request.Request(
            self.address_behind + path, data=body or None, headers=kept, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
                return reply.status, reply.headers["Content-Type"] or "text/plain", reply.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers["Content-Type"] or "text/plain", error.read()

    def stop(self):
        self.release()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class Page:
    """A browser on one page, with waits on conditions and no sleeps."""

    def __init__(self, driver, address):
        self.driver = driver
        self.address = address
        driver.get(address)

    def wait(self, condition, what="condition"):
        return WebDriverWait(self.driver, PATIENCE, 0.03, ignored_exceptions=(Exception,)).until(
            lambda _: condition(), f"waited for {what}"
        )

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css):
        return self.wait(lambda: next(iter(self.all(css)), None), css)

    def sees(self, text, css="body"):
        self.wait(lambda: any(text in e.text for e in self.all(css)), f"{text!r} in {css}")

    def sees_no(self, css):
        self.wait(lambda: not self.all(css), f"no {css}")

    def click(self, label):
        """Clicks the button that shows the label or is called so."""

        def act():
            for button in reversed(self.all("button")):
                name = button.get_attribute("aria-label") or ""
                if label in (button.text.strip(), name) and button.is_enabled():
                    button.click()
                    return True
            return False

        self.wait(act, f"button {label!r}")

    def fill(self, css, text):
        def act():
            field = self.all(css)[0]
            field.clear()
            field.send_keys(text)
            return field.get_attribute("value") == text

        self.wait(act, css)

    def set(self, css, value):
        """Sets a field that has no plain text, such as a date, as its picker would."""
        self.driver.execute_script(
            "const e = document.querySelector(arguments[0]); e.value = arguments[1];"
            "e.dispatchEvent(new Event('input', { bubbles: true }));",
            css,
            value,
        )


def options(scheme="light"):
    chosen = Options()
    chosen.binary_location = "/usr/bin/chromium"
    chosen.accept_insecure_certs = True
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--no-first-run",
        "--lang=pt-BR",
        "--disable-background-networking",
    ):
        chosen.add_argument(flag)
    if scheme == "dark":
        chosen.add_argument("--force-dark-mode")
    return chosen


def make_driver(scheme="light", scale=1):
    service = Service("/usr/bin/chromedriver", env={**os.environ, "LANGUAGE": "pt_BR"})
    driver = webdriver.Chrome(options=options(scheme), service=service)
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 390, "height": 844, "deviceScaleFactor": scale, "mobile": True},
    )
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    return driver


@pytest.fixture
def driver():
    driver = make_driver()
    yield driver
    driver.quit()


@pytest.fixture
def make_page():
    """Opens pages, each in a browser of its own, and closes the browsers when the test is over."""
    drivers = []

    def make(address):
        drivers.append(make_driver())
        return Page(drivers[-1], address)

    yield make
    for one in drivers:
        one.quit()


@pytest.fixture
def guide_server(tmp_path):
    """The Codable guide's own Brasa."""
    server = Brasa(tmp_path / "brasa", "codable-guide", ROOT / "CodableGuide")
    yield server
    server.stop()


@pytest.fixture
def run():
    """Starts parts of examples and stops them when the test is over."""
    running = []

    def start(*arguments, environment=None):
        process = Process(*map(str, arguments), environment=environment)
        running.append(process)
        return process

    yield start
    for process in reversed(running):
        if process.process.poll() is None:
            process.stop()


@pytest.fixture
def proxy():
    """Makes proxies and stops them when the test is over."""
    running = []

    def start(service):
        running.append(Proxy(service.address))
        return running[-1]

    yield start
    for one in running:
        one.stop()


@pytest.fixture
def wires():
    """Makes wires to servers and takes them away when the test is over."""
    made = []

    def make(port, certificates=None):
        made.append(Wire(port, certificates))
        return made[-1]

    yield make
    for wire in made:
        wire.close()


def write_mock(path, *routes):
    """Replaces the file of mocked routes in one step."""
    draft = path.with_suffix(".new")
    draft.write_text(json.dumps(list(routes)))
    draft.rename(path)
