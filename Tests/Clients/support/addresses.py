"""Connections from several addresses: each of 127.0.0.0/8 is this machine's."""

from requests.adapters import HTTPAdapter


class From(HTTPAdapter):
    """Connections from one address."""

    def __init__(self, address):
        self.address = address
        super().__init__(pool_connections=1, pool_maxsize=100)

    def init_poolmanager(self, *arguments, **options):
        super().init_poolmanager(*arguments, source_address=(self.address, 0), **options)
