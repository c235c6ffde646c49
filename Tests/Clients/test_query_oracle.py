"""Random queries over random documents, compared with a plain reading of the rules."""

import math
import os
import random

import pytest
from google.cloud import firestore
from google.cloud.firestore_v1.base_query import And, FieldFilter, Or

from support import oracle

SCALARS = [None, False, True, math.nan, -1, 0, 0.5, 1, 1.0, 2, 2**53 + 1, float(2**53), "", "a", "ab", "b", "é", "\U00010000"]
SEED = int(os.environ.get("BRASA_TEST_SEED", "7"))


def random_value(chooser):
    if chooser.random() < 0.25:
        return [chooser.choice(SCALARS) for _ in range(chooser.randrange(4))]
    return chooser.choice(SCALARS)


def random_document(chooser):
    fields = [field for field in "abc" if chooser.random() < 0.8]
    return {field: random_value(chooser) for field in fields}


def random_condition(chooser, operators):
    field = chooser.choice("abc")
    operator = chooser.choice(operators)
    plain = [value for value in SCALARS if value is not None and not oracle.is_nan(value)]
    if operator in ("in", "array_contains_any"):
        return field, operator, chooser.sample(plain, chooser.randint(1, 3))
    if operator == "not-in":
        return field, operator, chooser.sample(plain, chooser.randint(1, 3))
    if operator in ("==", "!="):
        return field, operator, random_value(chooser)
    return field, operator, chooser.choice(plain)


def random_groups(chooser):
    """An OR of ANDs that Firestore accepts: one array-contains a group, no not-in in an OR."""
    shape = chooser.random()
    equalities = ["==", "in", "array_contains"]
    ranges = ["<", "<=", ">", ">="]
    if shape < 0.15:
        return []
    if shape < 0.3:
        return [[random_condition(chooser, ["!=", "not-in", "array_contains_any"])]]
    groups = []
    for _ in range(1 if shape < 0.7 else chooser.randint(2, 3)):
        group = [random_condition(chooser, equalities + ranges)]
        for _ in range(chooser.randrange(2)):
            group.append(random_condition(chooser, ["=="] + ranges))
        groups.append(group)
    return groups


def with_filters(query, groups):
    parts = []
    for group in groups:
        filters = [FieldFilter(*condition) for condition in group]
        parts.append(filters[0] if len(filters) == 1 else And(filters))
    if not parts:
        return query
    return query.where(filter=parts[0] if len(parts) == 1 else Or(parts))


@pytest.mark.parametrize("round_number", range(4))
def test_random_queries(client, round_number):
    seed = SEED * 1000 + round_number
    chooser = random.Random(seed)
    documents = {f"d{number:02}": random_document(chooser) for number in range(60)}
    collection = client.collection("random")

    def write(keys):
        batch = client.batch()
        for key in keys:
            batch.set(collection.document(key), documents[key])
        batch.commit()

    write(documents)
    for step in range(60):
        if step % 20 == 10:
            changed = chooser.sample(sorted(documents), 15)
            for key in changed:
                documents[key] = random_document(chooser)
            write(changed)
        groups = random_groups(chooser)
        fields = chooser.sample("abc", chooser.choice([0, 0, 1, 1, 2]))
        orders = [(field, chooser.choice([1, -1])) for field in fields]
        limit = chooser.choice([None, None, 1, 3, 10])
        query = with_filters(collection, groups)
        for field, direction in orders:
            query = query.order_by(
                field,
                direction=firestore.Query.ASCENDING if direction == 1 else firestore.Query.DESCENDING,
            )
        described = f"seed {seed} step {step}: {groups} order {orders} limit {limit}"
        whole = oracle.run(documents, groups, orders)
        # The client appends the name to the explicit orders, so none may be implied in between.
        implied = oracle.normal_orders([c for group in groups for c in group], orders)[0]
        if whole and orders and len(implied) == len(orders) and chooser.random() < 0.6:
            after = chooser.choice(whole)
            expected = oracle.run(documents, groups, orders, limit, start_after=after)
            query = query.start_after(collection.document(after).get())
            described += f" after {after}"
        else:
            expected = whole if limit is None else whole[:limit]
        limited = query if limit is None else query.limit(limit)
        got = [snapshot.id for snapshot in limited.stream()]
        assert got == expected, described
        if limit is None and chooser.random() < 0.3 and len(orders) == 0:
            assert query.count("n").get()[0][0].value == len(expected), described
