"""What the products run on: a Brasa with what the app deploys, and the provider beside it."""

import subprocess

from conftest import BRASA, ROOT, TRUSTED, Process, Server

PROJECT = "products"
EXAMPLE = ROOT / "Products"


class ProductsServer(Server):
    """A Brasa in production mode that knows the provider, which it asks over TLS.

    Over TLS itself, where the processes of the tests trust its authority.
    """

    certificates = TRUSTED

    def __init__(self, folder):
        certificates = TRUSTED or make_certificates(folder / "certificates")
        self.environment = {
            "BRASA_OUTBOUND_PRIVATE": "true",
            "BRASA_OUTBOUND_CA": str(certificates / "authority.pem"),
        }
        self.provider = Process("products-provider", "--certificates", str(certificates))
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


def make_certificates(folder):
    subprocess.run(
        [str(BRASA), "certs", "--directory", str(folder)], check=True, stdout=subprocess.DEVNULL
    )
    return folder
