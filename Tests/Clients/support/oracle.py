"""A plain reading of Firestore's query rules over documents in a dictionary: what tests compare with.

Values are None, booleans, numbers, strings and lists of those; fields are top level.
"""

import functools
import math

MISSING = object()


def rank(value):
    """The position of a value's type among all types."""
    if value is None:
        return 0
    if isinstance(value, bool):
        return 1
    if isinstance(value, float) and math.isnan(value):
        return 2
    if isinstance(value, (int, float)):
        return 3
    if isinstance(value, str):
        return 4
    return 5


def compare(left, right):
    """-1, 0 or 1 in Firestore's order of values."""
    ranks = rank(left), rank(right)
    if ranks[0] != ranks[1]:
        return -1 if ranks[0] < ranks[1] else 1
    if ranks[0] in (0, 2):
        return 0
    if ranks[0] == 4:
        left, right = left.encode(), right.encode()
    if ranks[0] == 5:
        for one, other in zip(left, right):
            order = compare(one, other)
            if order:
                return order
        left, right = len(left), len(right)
    return (left > right) - (left < right)


def is_nan(value):
    return isinstance(value, float) and math.isnan(value)


def same_class(left, right):
    return rank(left) == rank(right) and left is not None and not is_nan(left)


def matches(data, condition):
    """Does a document's data satisfy one (field, operator, operand)?"""
    field, operator, operand = condition
    value = data.get(field, MISSING)
    if value is MISSING:
        return False
    if operator == "==":
        return compare(value, operand) == 0
    if operator == "!=":
        if operand is None:
            return value is not None
        return value is not None and compare(value, operand) != 0
    if operator == "in":
        return any(same_class(one, one) and compare(value, one) == 0 for one in operand)
    if operator == "not-in":
        if any(one is None for one in operand):
            return False
        return value is not None and all(compare(value, one) != 0 for one in operand)
    if operator == "array_contains":
        return isinstance(value, list) and any(compare(one, operand) == 0 for one in value)
    if operator == "array_contains_any":
        return isinstance(value, list) and any(
            compare(one, other) == 0 for one in value for other in operand
        )
    if not same_class(value, operand):
        return False
    order = compare(value, operand)
    return {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[operator]


INEQUALITIES = ("<", "<=", ">", ">=", "!=", "not-in")


def normal_orders(conditions, orders):
    """Explicit orders, then those that inequalities imply, then the name."""
    result = list(orders)
    direction = orders[-1][1] if orders else 1
    named = {field for field, _ in orders}
    implied = {field for field, operator, _ in conditions if operator in INEQUALITIES}
    result += [(field, direction) for field in sorted(implied - named)]
    return result, direction


def run(documents, groups, orders, limit=None, start_after=None):
    """The ids of an OR of ANDs of conditions, ordered; `start_after` is the id of a result."""
    conditions = [condition for group in groups for condition in group]
    order_list, name_direction = normal_orders(conditions, orders)

    def by_order(left, right):
        for field, direction in order_list:
            order = compare(documents[left][field], documents[right][field])
            if order:
                return order * direction
        order = (left.encode() > right.encode()) - (left.encode() < right.encode())
        return order * name_direction

    found = [
        key
        for key, data in documents.items()
        if all(field in data for field, _ in order_list)
        and (not groups or any(all(matches(data, one) for one in group) for group in groups))
    ]
    found.sort(key=functools.cmp_to_key(by_order))
    if start_after is not None:
        found = found[found.index(start_after) + 1 :]
    return found[:limit] if limit is not None else found
