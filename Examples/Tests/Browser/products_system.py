"""What the products run on: a Brasa with what the app deploys, the provider beside it, and a wire to cut."""

import socket
import subprocess
import threading

from conftest import BRASA, ROOT, Process, Server

PROJECT = "products"
EXAMPLE = ROOT / "Products"


class ProductsServer(Server):
    """A Brasa in production mode that knows the provider, which it asks over TLS."""

    def __init__(self, folder):
        self.certificates = folder / "certificates"
        subprocess.run(
            [str(BRASA), "certs", "--directory", str(self.certificates)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        authority = self.certificates / "authority.pem"
        self.environment = {
            "BRASA_OUTBOUND_PRIVATE": "true",
            "BRASA_OUTBOUND_CA": str(authority),
        }
        self.provider = Process("products-provider", "--certificates", str(self.certificates))
        super().__init__(folder / "brasa")
        for command in (
            ["rules", "deploy", EXAMPLE / "firestore.rules"],
            ["rules", "deploy", EXAMPLE / "storage.rules", "--service", "storage"],
            ["indexes", "apply", EXAMPLE / "firestore.indexes.json"],
            ["config", "publish", EXAMPLE / "remoteconfig.template.json"],
        ):
            self.command(*command, "--project", PROJECT)
        self.administer(
            "POST",
            f"/v2/projects/{PROJECT}/oauthIdpConfigs?oauthIdpConfigId=oidc.trial",
            {
                "clientId": "products",
                "clientSecret": "trial",
                "issuer": self.provider.address,
                "enabled": True,
            },
        )

    def photos(self):
        """The names of all photos."""
        lines = self.command("storage", "ls", "-r", f"gs://{PROJECT}.appspot.com/users/").split()
        return sorted(line.rsplit("/", 1)[1] for line in lines if "/users/" in line)

    def close(self):
        self.stop()
        self.provider.stop()


class Wire:
    """The way from the app's host to the server, byte by byte; it can be cut, and held at a request.

    Cut, it drops every connection and takes no new one, as a host without a network. `hold` waits for a request with
    some text: from then on the request, or its answer, does not get through.
    """

    def __init__(self, port):
        self.port_behind = port
        self.connections = set()
        self.lock = threading.Lock()
        self.held = None
        self.keeps_request = False
        self.seen = threading.Event()
        self.port = 0
        self.join()

    def join(self):
        """Takes connections, after `cut` on the same port."""
        self.held = None
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def cut(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        with self.lock:
            ended, self.connections = self.connections, set()
        for connection in ended:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            connection.close()

    def hold_answer(self, text):
        """Lets a request with the text through, and nothing of its connection back."""
        self.seen.clear()
        self.held, self.keeps_request = text, False

    def hold_request(self, text):
        """Lets no request with the text through."""
        self.seen.clear()
        self.held, self.keeps_request = text, True

    def accept(self, listener):
        while True:
            try:
                near = listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", self.port_behind))
            except OSError:
                return
            with self.lock:
                self.connections |= {near, far}
            silent = threading.Event()
            for pump in (self.pump_requests, self.pump_answers):
                threading.Thread(target=pump, args=(near, far, silent), daemon=True).start()

    def pump_requests(self, near, far, silent):
        try:
            while piece := near.recv(65536):
                if self.held and self.held in piece:
                    silent.set()
                    self.seen.set()
                if not (silent.is_set() and self.keeps_request):
                    far.sendall(piece)
            far.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def pump_answers(self, near, far, silent):
        try:
            while piece := far.recv(65536):
                if not silent.is_set():
                    near.sendall(piece)
            near.shutdown(socket.SHUT_WR)
        except OSError:
            pass
