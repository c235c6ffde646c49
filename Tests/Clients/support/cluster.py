"""Several nodes on one PostgreSQL, behind a proxy that spreads connections."""

from support import postgres, relay, server as servers


class Cluster:
    """Nodes that share a store, as one server: what talks to it talks to one node or another.

    The first `candidates` of them may be the primary.
    """

    def __init__(self, directory, count=2, development=True, environment=None, database=None, candidates=0):
        self.database = database or postgres.Postgres()
        self.environment = {"BRASA_STORE": self.database.address, "BRASA_CLUSTER": "true", **(environment or {})}
        self.nodes = [
            servers.Brasa(directory / f"node-{number}", development=development, environment=self.environment | self.candidacy(number < candidates))
            for number in range(count)
        ]
        self.proxy = None

    @staticmethod
    def candidacy(is_candidate):
        """What lets a node be the primary."""
        return {"BRASA_PRIMARY": "true"} if is_candidate else {}

    def start(self):
        for node in self.nodes:
            node.start()
        self.proxy = relay.Spread(node.port for node in self.nodes)
        return self

    @property
    def port(self):
        return self.proxy.port

    @property
    def host(self):
        return self.proxy.host

    @property
    def url(self):
        return f"http://{self.host}"

    @property
    def data(self):
        return self.nodes[0].data

    @property
    def command(self):
        return self.nodes[0].command

    @property
    def authority(self):
        return self.nodes[0].authority

    @property
    def scheme(self):
        return self.nodes[0].scheme

    @property
    def lines(self):
        return [line for node in self.nodes for line in node.lines]

    @property
    def output(self):
        return "".join(node.output for node in self.nodes)

    @property
    def metrics(self):
        """The lines of the nodes' pages of metrics, one after the other: sums over them are the cluster's."""
        return [line for node in self.nodes for line in node.metrics]

    def wait_for_output(self, *texts):
        """Waits until the nodes together have written all of the texts."""
        servers.wait_for(lambda: all(text in self.output for text in texts), " and ".join(texts))

    @property
    def is_running(self):
        return all(node.is_running for node in self.nodes)

    def stop(self):
        """Stops all nodes and gives the highest exit code."""
        code = max(abs(node.stop() or 0) for node in self.nodes)
        self.proxy.close()
        return code

    def close(self):
        """Ends what still runs, and the database."""
        for node in self.nodes:
            node.kill()
        if self.proxy:
            self.proxy.close()
        self.database.close()

    def restart(self, node):
        """Stops a node as an operator does and starts it again, and has the proxy know where."""
        code = node.stop()
        node.start()
        self.proxy.ports = [each.port for each in self.nodes]
        return code

    def leader(self):
        """The node that leads, as the nodes are listed; None where none does."""
        return self._listed_as("\tleads\t")

    def primary(self):
        """The primary, as the nodes are listed; None where none is."""
        return self._listed_as("\tprimary")

    def _listed_as(self, word):
        listed = servers.run("nodes", environment=self.environment).stdout.splitlines()
        for node in self.nodes:
            if any(str(node.data) in line and word in line for line in listed):
                return node
        return None
