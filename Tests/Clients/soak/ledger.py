"""What documents may be by what was acknowledged."""


class Ledger:
    """The revisions that documents may have; None is a document that does not exist.

    A write is attempted before it is sent and settled by its answer. Where no answer came, all of it
    happened or nothing of it, which the next look decides.
    """

    def __init__(self):
        self.revisions = {}
        self.unsure = {}

    def attempt(self, changes):
        assert not self.unsure, "an attempt before the last was settled"
        self.unsure = dict(changes)

    def acknowledge(self):
        for name, revision in self.unsure.items():
            self._put(name, revision)
        self.unsure = {}

    def settle(self, found):
        """Decides an attempt that was not answered, by what is there; `found` is a revision by name."""
        before = {name: self.revisions.get(name) for name in self.unsure}
        assert found in (before, self.unsure), f"half a commit: {found} is neither {before} nor {self.unsure}"
        for name, revision in found.items():
            self._put(name, revision)
        self.unsure = {}

    def _put(self, name, revision):
        if revision is None:
            self.revisions.pop(name, None)
        else:
            self.revisions[name] = revision

    def check(self, found):
        """Compares documents that were read; `found` is a revision, or None, by name."""
        expected = {name: self.revisions.get(name) for name in found}
        assert found == expected, f"acknowledged and lost: {difference(found, expected)}"

    def check_all(self, found):
        """Compares everything that there is."""
        assert found == self.revisions, f"not what was acknowledged: {difference(found, self.revisions)}"


def difference(found, expected):
    """The first entries in which two dictionaries differ, as (name, found, expected)."""
    names = sorted(found.keys() | expected.keys())
    return [(n, found.get(n), expected.get(n)) for n in names if found.get(n) != expected.get(n)][:10]
