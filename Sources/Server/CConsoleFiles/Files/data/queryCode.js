import { OPERATORS } from "./builderModel.js";
import { namesOf } from "./query.js";

/** A query as code of the libraries that apps use. Pure. */

const isPlain = (name) => /^[A-Za-z_]\w*$/.test(name);
const text = JSON.stringify;
const operatorOf = (op) => OPERATORS[op].replace("contains", "array-contains").replaceAll(" ", "-");
const SWIFT = { EQUAL: "isEqualTo", NOT_EQUAL: "isNotEqualTo", LESS_THAN: "isLessThan", LESS_THAN_OR_EQUAL: "isLessThanOrEqualTo", GREATER_THAN: "isGreaterThan", GREATER_THAN_OR_EQUAL: "isGreaterThanOrEqualTo", IN: "in", NOT_IN: "notIn", ARRAY_CONTAINS: "arrayContains", ARRAY_CONTAINS_ANY: "arrayContainsAny" };

/** What the languages differ in: their words for values, fields, filters and what is around them. */
const LANGUAGES = {
  Swift: {
    nothing: "NSNull()", nan: "Double.nan", isTrue: String, time: (value) => `Timestamp(date: Date(timeIntervalSince1970: ${Date.parse(value) / 1_000}))`, reference: (path) => `db.document(${text(path)})`,
    field: (names) => (names[0] === "__name__" ? "FieldPath.documentID()" : names.every(isPlain) ? text(names.join(".")) : `FieldPath([${names.map(text).join(", ")}])`),
    filter: (field, op, value) => `Filter.whereField(${field}, ${SWIFT[op]}: ${value})`, join: (op, parts) => `Filter.${op.toLowerCase()}Filter([${parts.join(", ")}])`,
    order: (field, isDescending) => `.order(by: ${field}, descending: ${isDescending})`,
    whole: ({ path, group, where, orders, limit }) => [`let query = db.${group ? `collectionGroup(${text(group)})` : `collection(${text(path)})`}`, where && `  .whereFilter(${where})`, ...orders.map((one) => `  ${one}`), limit && `  .limit(to: ${limit})`, "let documents = try await query.getDocuments().documents"],
  },
  JavaScript: {
    nothing: "null", nan: "NaN", isTrue: String, time: (value) => `Timestamp.fromDate(new Date(${text(value)}))`, reference: (path) => `doc(db, ${text(path)})`,
    field: (names) => (names[0] === "__name__" ? "documentId()" : names.every(isPlain) ? text(names.join(".")) : `new FieldPath(${names.map(text).join(", ")})`),
    filter: (field, op, value) => `where(${field}, ${text(operatorOf(op))}, ${value})`, join: (op, parts) => `${op.toLowerCase()}(${parts.join(", ")})`,
    order: (field, isDescending) => `orderBy(${field}${isDescending ? ', "desc"' : ""})`,
    whole: ({ path, group, where, orders, limit }) => ["const found = await getDocs(query(", [group ? `collectionGroup(db, ${text(group)})` : `collection(db, ${text(path)})`, where, ...orders, limit && `limit(${limit})`].filter(Boolean).map((line) => `  ${line},`).join("\n"), "));"],
  },
  Python: {
    nothing: "None", nan: 'float("nan")', isTrue: (value) => (value ? "True" : "False"), time: (value) => `datetime.fromisoformat(${text(value.replace("Z", "+00:00"))})`, reference: (path) => `db.document(${text(path)})`,
    field: (names) => text(names.map((name) => (isPlain(name) ? name : `\`${name.replace(/[\\`]/g, "\\$&")}\``)).join(".")),
    filter: (field, op, value) => `FieldFilter(${field}, ${text(operatorOf(op).replaceAll("-", "_").replace("not_in", "not-in"))}, ${value})`, join: (op, parts) => `${op === "OR" ? "Or" : "And"}([${parts.join(", ")}])`,
    order: (field, isDescending) => `.order_by(${field}${isDescending ? ", direction=firestore.Query.DESCENDING" : ""})`,
    whole: ({ path, group, where, orders, limit }) => [`query = db.${group ? `collection_group(${text(group)})` : `collection(${text(path)})`}`, where && `query = query.where(filter=${where})`, ...orders.map((one) => `query = query${one}`), limit && `query = query.limit(${limit})`, "documents = list(query.stream())"],
  },
};

export const NAMES = [...Object.keys(LANGUAGES), "curl"];

function valueOf(value, words) {
  const { stringValue, integerValue, doubleValue, booleanValue, timestampValue, referenceValue, arrayValue } = value;
  if (stringValue !== undefined) return text(stringValue);
  if (integerValue !== undefined) return String(integerValue);
  if (doubleValue !== undefined) return doubleValue === "NaN" ? words.nan : Number.isInteger(doubleValue) ? doubleValue.toFixed(1) : String(doubleValue);
  if (booleanValue !== undefined) return words.isTrue(booleanValue);
  if (timestampValue !== undefined) return words.time(timestampValue);
  if (referenceValue !== undefined) return words.reference(referenceValue.split("/").slice(5).join("/"));
  if (arrayValue) return `[${(arrayValue.values ?? []).map((one) => valueOf(one, words)).join(", ")}]`;
  return words.nothing;
}

function filterOf(filter, words) {
  if (filter.compositeFilter) return words.join(filter.compositeFilter.op, filter.compositeFilter.filters.map((one) => filterOf(one, words)));
  const { field, op, value } = filter.fieldFilter ?? { ...filter.unaryFilter, value: filter.unaryFilter.op.endsWith("NAN") ? { doubleValue: "NaN" } : {} };
  return words.filter(words.field(namesOf(field.fieldPath)), value && filter.fieldFilter ? op : op.includes("NOT") ? "NOT_EQUAL" : "EQUAL", valueOf(value, words));
}

/** The code of a query in a language; `where` is the place of the database, `origin` the server. */
export function codeOf(name, { group, where, orders, limit }, collection, structured, address) {
  if (name === "curl") return `curl -X POST '${address}:runQuery' \\\n  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\\n  -d '${text({ structuredQuery: structured }).replaceAll("'", "'\\''")}'`;
  const words = LANGUAGES[name];
  return words.whole({ path: collection.join("/"), group, where: where && filterOf(where, words), orders: orders.map((one) => words.order(words.field(one.names), one.isDescending)), limit }).filter(Boolean).join("\n");
}
