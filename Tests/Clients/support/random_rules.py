"""Random security rules, and random requests to try on them."""

FIELDS = ["n", "f", "s", "o", "b", "l", "m", "missing"]
STORED = {
    "d0": {"n": 5, "f": 2.5, "s": "abc", "o": "alice", "b": True, "l": ["alice", 1], "m": {"r": "a"}},
    "d1": {"n": -1, "f": 5.0, "s": "", "o": "bob", "b": False, "l": [], "m": {}},
    "d2": {"n": 7, "s": "alice", "o": "alice", "b": None, "l": ["bob"], "m": {"r": "b", "q": 1}},
}
USERS = {"alice": {"role": "admin", "n": 5}, "bob": {"role": "guest", "n": 1}}


class RandomRules:
    """Conditions from a source of randomness; the same source gives the same rules."""

    def __init__(self, random):
        self.random = random

    def pick(self, *choices):
        return self.random.choice(choices)

    def literal(self):
        return self.pick(
            "0", "1", "5", "7", "-1", "2.5", "5.0", "''", "'a'", "'abc'", "'alice'", "'bob'",
            "true", "false", "null", "[1, 'alice']", "[]", "{'r': 'a'}", "['alice', 'bob']",
        )

    def data(self):
        return f"{self.pick('resource', 'resource', 'request.resource')}.data"

    def value(self, depth):
        if depth <= 0 or self.random.random() < 0.15:
            return self.pick(
                self.literal(),
                f"{self.data()}.{self.pick(*FIELDS)}",
                f"{self.data()}.{self.pick(*FIELDS)}",
                "request.auth.uid", "id", "request.method", "f(id)",
            )
        inner = self.value(depth - 1)
        return self.pick(
            f"{inner}.size()",
            f"{inner}[{self.pick('0', '1', chr(39) + 'r' + chr(39))}]",
            f"({inner} {self.pick('+', '-', '*', '%')} {self.value(depth - 1)})",
            f"{self.data()}.get('{self.pick(*FIELDS)}', {self.literal()})",
            f"{self.data()}.m.{self.pick('r', 'q')}",
            f"({self.condition(depth - 1)} ? {inner} : {self.literal()})",
            f"{self.data()}.keys()",
            f"[{inner}, {self.literal()}]",
            f"{self.pick('string', 'int', 'float')}({inner})",
            "get(/databases/$(database)/documents/users/$(request.auth.uid)).data.role",
            "f(" + inner + ")",
        )

    def condition(self, depth):
        if depth <= 0:
            return self.pick("true", "false", "request.auth != null", self.comparison(0))
        return self.pick(
            f"({self.condition(depth - 1)} && {self.condition(depth - 1)})",
            f"({self.condition(depth - 1)} || {self.condition(depth - 1)})",
            f"!({self.condition(depth - 1)})",
            self.comparison(depth - 1),
            self.comparison(depth - 1),
            f"{self.value(depth - 1)} in {self.value(depth - 1)}",
            f"'{self.pick(*FIELDS)}' in {self.data()}",
            f"{self.value(depth - 1)} is {self.pick('int', 'float', 'number', 'string', 'bool', 'list', 'map')}",
            f"{self.value(depth - 1)}.matches('{self.pick('a.*', '[a-z]+', '.*c', 'alice|bob')}')",
            f"{self.value(depth - 1)}.{self.pick('hasAny', 'hasAll', 'hasOnly')}(['alice', 1])",
            f"{self.data()}.diff(resource.data).affectedKeys().hasOnly(['n', 's'])",
            f"{self.pick('exists', 'existsAfter')}(/databases/$(database)/documents/users/"
            f"{self.pick('alice', 'nobody', '$(request.auth.uid)', '$(id)')})",
        )

    def comparison(self, depth):
        operator = self.pick("==", "==", "!=", "<", "<=", ">", ">=")
        return f"{self.value(depth)} {operator} {self.value(depth)}"

    def ruleset(self):
        """A ruleset whose every verb has a condition of its own."""
        allows = "\n".join(
            f"allow {verb}: if {self.condition(self.random.randint(0, 3))};"
            for verb in ("get", "list", "create", "update", "delete")
        )
        return (
            "rules_version = '2';\nservice cloud.firestore {\n"
            "match /databases/{database}/documents {\n"
            "function f(v) { let w = v; return w; }\n"
            f"match /q/{{id}} {{\n{allows}\n}}\n}}\n}}\n"
        )

    def filter(self):
        """A condition of a structured query, or None; each field is named once."""
        count = self.random.randint(0, 2)
        parts = []
        for field in self.random.sample(["n", "f", "s", "o", "b", "l", "m.r"], count):
            operator = self.pick(
                "EQUAL", "EQUAL", "EQUAL", "NOT_EQUAL", "LESS_THAN", "GREATER_THAN_OR_EQUAL",
                "IN", "ARRAY_CONTAINS",
            )
            value = self.pick(
                {"integerValue": "5"}, {"doubleValue": 2.5}, {"stringValue": "alice"},
                {"stringValue": "abc"}, {"booleanValue": True}, {"integerValue": "0"},
                {"stringValue": "a"},
            )
            if operator == "IN":
                value = {"arrayValue": {"values": [value]}}
            parts.append({"fieldFilter": {
                "field": {"fieldPath": field}, "op": operator, "value": value,
            }})
        if len(parts) < 2:
            return parts[0] if parts else None
        return {"compositeFilter": {"op": self.pick("AND", "AND", "OR"), "filters": parts}}

    def fields(self):
        """What a write leaves, as JSON of the REST API."""
        values = {
            "n": self.pick({"integerValue": "5"}, {"integerValue": "6"}, {"stringValue": "x"}),
            "o": self.pick({"stringValue": "alice"}, {"stringValue": "bob"}),
            "s": self.pick({"stringValue": "abc"}, {"stringValue": ""}),
            "b": self.pick({"booleanValue": True}, {"nullValue": None}),
        }
        return {name: value for name, value in values.items() if self.random.random() < 0.8}
