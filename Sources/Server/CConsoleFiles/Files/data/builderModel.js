import { fieldText, valueText } from "./filter.js";
import { namesOf } from "./query.js";

/** A query as the rows of a form, and back to the text of the filter bar. Pure. */

/** The operators by how the filter bar writes them. */
export const OPERATORS = { EQUAL: "==", NOT_EQUAL: "!=", LESS_THAN: "<", LESS_THAN_OR_EQUAL: "<=", GREATER_THAN: ">", GREATER_THAN_OR_EQUAL: ">=", IN: "in", NOT_IN: "not in", ARRAY_CONTAINS: "contains", ARRAY_CONTAINS_ANY: "contains any" };
export const TYPES = ["string", "number", "boolean", "timestamp", "reference", "null"];

const typeOf = (value) => (value.stringValue !== undefined ? "string" : value.booleanValue !== undefined ? "boolean" : value.timestampValue !== undefined ? "timestamp" : value.referenceValue !== undefined ? "reference" : "nullValue" in value ? "null" : "number");
const plainOf = (value) => (value.stringValue ?? value.timestampValue ?? value.referenceValue?.split("/").slice(5).join("/") ?? ("nullValue" in value ? "" : valueText(value)));

function rowOf(filter) {
  const { field, op, value = op?.endsWith("NAN") ? { doubleValue: "NaN" } : { nullValue: null } } = filter.fieldFilter ?? filter.unaryFilter ?? {};
  if (!field || (value.arrayValue && new Set((value.arrayValue.values ?? []).map(typeOf)).size > 1)) return null;
  const values = value.arrayValue ? value.arrayValue.values ?? [] : [value];
  return { field: fieldText(namesOf(field.fieldPath)), op: filter.unaryFilter ? (op.includes("NOT") ? "NOT_EQUAL" : "EQUAL") : op, type: values[0] ? typeOf(values[0]) : "string", text: values.map(plainOf).join(", ") };
}

/** The form of a query that was read: `{group, isAny, rows, orders, limit}`; null where a form has no place for all of it. */
export function formOf({ group, where, orders, limit }) {
  const { op = "AND", filters } = where?.compositeFilter ?? { filters: where ? [where] : [] };
  const rows = filters.map(rowOf);
  if (rows.includes(null)) return null;
  return { group: group !== null, isAny: op === "OR", rows, orders: orders.map(({ names, isDescending }) => ({ field: fieldText(names), isDescending })), limit };
}

const literal = (type, text) => ({ string: JSON.stringify(text), timestamp: `timestamp(${JSON.stringify(text)})`, reference: `ref(${JSON.stringify(text)})`, null: "null" })[type] ?? text;

function conditionOf({ field, op, type, text }) {
  const isList = ["IN", "NOT_IN", "ARRAY_CONTAINS_ANY"].includes(op);
  const of = field === "id" && type === "reference" ? "string" : type;
  return `${field} ${OPERATORS[op]} ${isList ? `[${text.split(",").map((one) => literal(of, one.trim())).join(", ")}]` : literal(of, of === "string" ? text : text.trim())}`;
}

/** The text of the filter bar that says what a form does; rows without a field are left out. */
export function textOf({ group, isAny, rows, orders, limit }, collection) {
  const conditions = rows.filter((one) => one.field.trim()).map(conditionOf).join(isAny ? " or " : " and ");
  const by = orders.filter((one) => one.field.trim()).map((one) => `${one.field}${one.isDescending ? " desc" : ""}`).join(", ");
  return [group ? `group(${/^[A-Za-z_]\w*$/.test(collection) ? collection : JSON.stringify(collection)})` : "", conditions && group ? `where ${conditions}` : conditions, by && `order by ${by}`, limit ? `limit ${limit}` : ""].filter(Boolean).join(" ");
}
