import { compareTexts } from "./order.js";
import { fieldPath } from "./value.js";

/** Queries of the data page as the server takes them. Pure. */

const INEQUALITIES = new Set([
  "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL", "NOT_EQUAL", "NOT_IN", "IS_NOT_NULL", "IS_NOT_NAN",
]);

/** The order that a query has in full: its own, then the fields of inequalities, then the name. */
export function fullOrders({ where, orders }) {
  const all = [...orders];
  const isDescending = orders.at(-1)?.isDescending ?? false;
  const has = (path) => all.some((order) => fieldPath(...order.names) === path);
  for (const path of [...inequalityPaths(where)].sort(compareTexts)) {
    if (!has(path)) all.push({ names: namesOf(path), isDescending });
  }
  if (!has("__name__")) all.push({ names: ["__name__"], isDescending });
  return all;
}

function inequalityPaths(filter, found = new Set()) {
  if (!filter) return found;
  for (const inner of filter.compositeFilter?.filters ?? []) inequalityPaths(inner, found);
  const one = filter.fieldFilter ?? filter.unaryFilter;
  if (one && INEQUALITIES.has(one.op)) found.add(one.field.fieldPath);
  return found;
}

/** The names of a field path, which may be in backticks. */
export function namesOf(path) {
  const names = [];
  for (const [, quoted, plain] of path.matchAll(/`((?:[^`\\]|\\.)*)`|([^.`]+)/g)) {
    names.push(quoted === undefined ? plain : quoted.replace(/\\(.)/g, "$1"));
  }
  return names;
}

/**
 * The structured query of a part of the results.
 *
 * `after` and `upTo` are the cursors' values; the results begin behind the first and end with the second.
 */
export function structuredQuery({ collection, group, where, orders, limit, after, upTo }) {
  const query = {
    from: [{ collectionId: group ?? collection, ...(group ? { allDescendants: true } : {}) }],
    orderBy: orders.map(({ names, isDescending }) => ({
      field: { fieldPath: fieldPath(...names) },
      direction: isDescending ? "DESCENDING" : "ASCENDING",
    })),
  };
  if (where) query.where = where;
  if (limit) query.limit = limit;
  if (after) query.startAt = { values: after, before: false };
  if (upTo) query.endAt = { values: upTo, before: false };
  return query;
}

/** The query of all documents below a document, at any depth, or of those in a collection. Pure. */
export function descendantsQuery(root, path) {
  const query = { from: [{ allDescendants: true }], orderBy: [{ field: { fieldPath: "__name__" } }] };
  if (path.length % 2 === 0) return query;
  // From the first name that could be in the collection to the first that could be in the next one.
  const bound = (op, name) => ({ fieldFilter: { field: { fieldPath: "__name__" }, op, value: { referenceValue: name } } });
  const collection = [root, ...path].join("/");
  return { ...query, where: { compositeFilter: { op: "AND", filters: [bound("GREATER_THAN_OR_EQUAL", `${collection}/\0`), bound("LESS_THAN", `${collection}\0/\0`)] } } };
}
