"""Listen and Write over WebChannel from a page in headless Chromium."""

import threading

import pytest

from support import relay, rpc, server as servers

pytestmark = pytest.mark.brasa_only

MANY = 12


@pytest.fixture(scope="module")
def pages():
    from support import browser as browsers

    made = browsers.Pages()
    yield made
    made.close()


@pytest.fixture
def names(project):
    return rpc.Names(project)


class Channel:
    """A channel of the page in the browser's current tab."""

    def __init__(self, browser, base, database, method, name=None, first=None, **options):
        self.browser = browser
        self.name = name or method
        options = {"base": base, "method": method, "database": database, "authorization": "Bearer owner", **options}
        browser.run("openChannel(...arguments)", self.name, options, first or {"database": database})

    def send(self, message):
        self.browser.run("channels[arguments[0]].channel.send(arguments[1])", self.name, message)

    def write(self, *writes):
        """Sends a batch without waiting."""
        self.browser.run(
            "const it = channels[arguments[0]];"
            "it.channel.send({ streamToken: it.token, writes: arguments[1] })",
            self.name,
            list(writes),
        )

    def messages(self, count):
        """The first `count` messages, once that many have come."""
        return self.browser.wait(
            "const it = channels[arguments[0]];"
            "if (it.end) throw new Error(JSON.stringify(it.end));"
            "return it.messages.length >= arguments[1] && it.messages",
            self.name,
            count,
        )

    def wait(self, condition):
        """Until an expression of `messages` holds."""
        return self.browser.wait(
            f"const it = channels[arguments[0]]; const messages = it.messages; return {condition}", self.name
        )

    def end(self):
        return self.browser.wait("return channels[arguments[0]].end", self.name)

    @property
    def log(self):
        return self.browser.run("return channels[arguments[0]].channel.log", self.name)

    def terminate(self):
        self.browser.run("channels[arguments[0]].channel.terminate()", self.name)


def update(name, **fields):
    values = {key: {"stringValue": value} for key, value in fields.items()}
    return {"update": {"name": name, "fields": values}}


def query(names, collection):
    target = {"parent": names.root, "structuredQuery": {"from": [{"collectionId": collection}]}}
    return {"database": names.database, "addTarget": {"targetId": 2, "query": target}}


def open_sessions(server):
    lines = [line for line in server.metrics if line.startswith("brasa_open_streams{")]
    return sum(float(line.split()[-1]) for line in lines)


def until(condition, seconds=120):
    pause = threading.Event()
    for _ in range(int(seconds / 0.05)):
        if condition():
            return
        pause.wait(0.05)
    raise AssertionError("it never came true")


def write_some(channel, names, calls, count=MANY):
    """The handshake, `count` batches at once, and their documents."""
    (opening,) = channel.messages(1)
    assert opening["streamId"] and opening["streamToken"]
    for number in range(count):
        channel.write(update(names(f"c/{number}"), text=f"número {number} 🔥"))
    answers = channel.messages(1 + count)[1:]
    times = [answer["commitTime"] for answer in answers]
    assert len(answers) == count and len(set(times)) == count
    assert all(len(answer["writeResults"]) == 1 for answer in answers)
    for number in (0, count - 1):
        document = calls.GetDocument(name=names(f"c/{number}"))
        assert rpc.fields_of(document) == {"text": f"número {number} 🔥"}


def test_streaming(browser, pages, server, names, calls):
    browser.open(f"{pages.url}/webchannel.html")
    channel = Channel(browser, server.url, names.database, "Write", autoDetect=True)
    write_some(channel, names, calls)
    log = channel.log
    assert log["backChannels"] == 1 and log["longPolls"] == 0
    assert all(receipt[0] == 1 for receipt in log["receipts"])
    channel.terminate()


def test_long_polling(browser, pages, server, names, calls):
    browser.open(f"{pages.url}/webchannel.html")
    channel = Channel(browser, server.url, names.database, "Write", longPolling=True, timeout=5000)
    write_some(channel, names, calls)
    log = channel.log
    assert log["longPolls"] == log["backChannels"] > 1
    channel.terminate()


class Buffering(relay.Relay):
    """Holds every response back until it is complete, as some proxies do."""

    def _pass(self, pair, source, sink, limit):
        if source is pair[0]:
            return super()._pass(pair, source, sink, limit)
        held = b""
        try:
            while data := source.recv(65536):
                held += data
                if self._is_complete(held):
                    sink.sendall(held)
                    held = b""
        except OSError:
            pass
        self._close(pair)

    @staticmethod
    def _is_complete(held):
        head, separator, body = held.partition(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        if b"transfer-encoding: chunked" in lines:
            return body.endswith(b"0\r\n\r\n")
        lengths = [line.partition(b":")[2] for line in lines if line.startswith(b"content-length:")]
        return bool(separator) and len(body) >= int(lengths[0] if lengths else 0)


def test_a_buffering_proxy_is_found_out(browser, pages, server, names, calls):
    proxy = Buffering(server.port)
    try:
        browser.open(f"{pages.url}/webchannel.html")
        channel = Channel(browser, f"http://{proxy.host}", names.database, "Write", autoDetect=True)
        write_some(channel, names, calls, count=3)
        assert channel.log["longPolls"] >= 1
        channel.terminate()
    finally:
        proxy.close()


def test_a_broken_back_channel_loses_nothing(browser, pages, server, names, calls):
    """Connections are cut after some bytes of an answer, so inside frames and characters too."""
    proxy = relay.Relay(server.port, cut_after=relay.random_cuts(3, 900, 1_900))
    try:
        browser.open(f"{pages.url}/webchannel.html")
        listener = Channel(
            browser, f"http://{proxy.host}", names.database, "Listen", first=query(names, "c")
        )
        writer = Channel(browser, server.url, names.database, "Write")
        write_some(writer, names, calls, count=40)
        found = listener.wait(
            "(() => { const ids = messages.map(m => m.documentChange?.document.name).filter(Boolean);"
            " return new Set(ids).size >= 40 && ids })()"
        )
        assert {name.rsplit("/", 1)[1] for name in found} == {str(n) for n in range(40)}
        assert proxy.cuts > 2 and listener.log["backChannels"] > 2
        writer.terminate()
        listener.terminate()
    finally:
        proxy.close()


def test_an_error_comes_in_the_stream(browser, pages, server, names):
    before = open_sessions(server)
    browser.open(f"{pages.url}/webchannel.html")
    channel = Channel(browser, server.url, names.database, "Write")
    channel.messages(1)
    channel.write({"delete": names("odd")})
    assert channel.end()["status"] == "INVALID_ARGUMENT"
    until(lambda: open_sessions(server) <= before)


def test_listening(browser, pages, server, names, client):
    before = open_sessions(server)
    browser.open(f"{pages.url}/webchannel.html")
    client.document("c/before").set({"text": "é"})
    channel = Channel(browser, server.url, names.database, "Listen", first=query(names, "c"))
    channel.wait("messages.some(m => m.targetChange?.targetChangeType === 'CURRENT')")
    client.document("c/after").set({"text": "🔥"})
    change = channel.wait(
        "messages.map(m => m.documentChange).find(c => c?.document.name.endsWith('/after'))"
    )
    assert change["document"]["fields"] == {"text": {"stringValue": "🔥"}}
    assert change["targetIds"] == [2]
    channel.send({"database": names.database, "removeTarget": 2})
    channel.wait("messages.some(m => m.targetChange?.targetChangeType === 'REMOVE')")
    channel.terminate()
    until(lambda: open_sessions(server) <= before)


def test_two_tabs(browser, pages, server, names):
    """What one tab writes the other is told; closing one leaves the other alone."""
    before = open_sessions(server)
    browser.open(f"{pages.url}/webchannel.html")
    first = browser.driver.current_window_handle
    listener = Channel(browser, server.url, names.database, "Listen", first=query(names, "c"))
    listener.wait("messages.some(m => m.targetChange?.targetChangeType === 'CURRENT')")
    second = browser.open_tab(f"{pages.url}/webchannel.html")
    writer = Channel(browser, server.url, names.database, "Write")
    writer.messages(1)
    writer.write(update(names("c/shared"), text="from the other tab"))
    writer.messages(2)
    browser.driver.switch_to.window(first)
    condition = "messages.find(m => m.documentChange?.document.name.endsWith('/{}'))"
    assert listener.wait(condition.format("shared"))
    browser.driver.switch_to.window(second)
    writer.write(update(names("c/last"), text="before it is closed"))
    writer.messages(3)
    writer.terminate()
    browser.driver.close()
    browser.driver.switch_to.window(first)
    assert listener.wait(condition.format("last"))
    until(lambda: open_sessions(server) <= before + 1)
    listener.terminate()
    until(lambda: open_sessions(server) <= before)


def test_over_tls_and_http2(browser, pages, tmp_path, certificates):
    server = servers.Brasa.production(tmp_path / "data", certificates).start()
    try:
        names = rpc.Names("shop")
        browser.open(f"{pages.url}/webchannel.html")
        options = {"authorization": f"Bearer {server.administrator_key}", "autoDetect": True}
        base = f"https://localhost:{server.port}"
        listener = Channel(browser, base, names.database, "Listen", first=query(names, "c"), **options)
        writer = Channel(browser, base, names.database, "Write", **options)
        writer.messages(1)
        for number in range(MANY):
            writer.write(update(names(f"c/{number}"), text="é🔥"))
        writer.messages(1 + MANY)
        listener.wait(f"messages.filter(m => m.documentChange).length >= {MANY}")
        for channel in (listener, writer):
            assert channel.log["protocol"] == "h2" and channel.log["longPolls"] == 0
            channel.terminate()
        anonymous = Channel(browser, base, names.database, "Write", "anonymous", authorization=None)
        assert anonymous.end()["status"] == "PERMISSION_DENIED"
        assert server.stop() == 0
    finally:
        server.kill()
