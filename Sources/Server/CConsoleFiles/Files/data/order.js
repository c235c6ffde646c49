import { bsonKey, componentsOf, elementsOf, fieldsOf, own, typeOf } from "./value.js";

/** The order of Firestore's values and of a query's results. Pure. */

const RANKS = {
  null: 0, __min__: 1, boolean: 2, integer: 3, double: 3, __int__: 3, __decimal128__: 3, timestamp: 4,
  __request_timestamp__: 5, string: 6, bytes: 7, __binary__: 8, reference: 9, __oid__: 10, geopoint: 11, __regex__: 12,
  array: 13, vector: 14, map: 15, __max__: 16,
};

/** Less than zero where the first value comes first. */
export function compare(one, other) {
  const [type, otherType] = [bsonKey(one) ?? typeOf(one), bsonKey(other) ?? typeOf(other)];
  if (RANKS[type] !== RANKS[otherType]) return RANKS[type] - RANKS[otherType];
  switch (type) {
    case "null": return 0;
    case "boolean": return Number(one.booleanValue) - Number(other.booleanValue);
    case "integer":
    case "double":
    case "__int__":
    case "__decimal128__": return compareNumbers(one, other);
    case "timestamp": return compareTimestamps(one.timestampValue, other.timestampValue);
    case "string": return compareTexts(one.stringValue, other.stringValue);
    case "bytes": return compareTexts(atob(one.bytesValue ?? ""), atob(other.bytesValue ?? ""));
    case "reference": return compareNames(one.referenceValue, other.referenceValue);
    case "geopoint": return comparePoints(one.geoPointValue, other.geoPointValue);
    case "array": return compareLists(elementsOf(one), elementsOf(other), compare);
    case "vector": return compareVectors(componentsOf(one), componentsOf(other));
    default: return compareMaps(fieldsOf(one), fieldsOf(other));
  }
}

/** Integers of 64 and 32 bits have their text; other numbers none. */
const integerOf = (value) => value.integerValue ?? fieldsOf(value).__int__?.integerValue;

function compareNumbers(one, other) {
  if (integerOf(one) !== undefined && integerOf(other) !== undefined) {
    const [left, right] = [BigInt(integerOf(one)), BigInt(integerOf(other))];
    return left < right ? -1 : left > right ? 1 : 0;
  }
  const [left, right] = [numberOf(one), numberOf(other)];
  const isLeftNaN = Number.isNaN(left);
  if (isLeftNaN || Number.isNaN(right)) return Number(!isLeftNaN) - Number(!Number.isNaN(right));
  return left < right ? -1 : left > right ? 1 : 0;
}

// A mixed pair beyond 2^53 is compared exactly enough for a place in a window; the server's order decides in the end.
const numberOf = (value) =>
  Number(integerOf(value) ?? value.doubleValue ?? fieldsOf(value).__decimal128__?.stringValue ?? 0);

function compareTimestamps(one, other) {
  const [left, right] = [instantParts(one), instantParts(other)];
  return left[0] - right[0] || left[1] - right[1];
}

function instantParts(text) {
  const [, fraction = ""] = /\.(\d+)/.exec(text) ?? [];
  return [Date.parse(text.replace(/\.\d+/, "")), Number(fraction.padEnd(9, "0"))];
}

/** By code points, as UTF-8's bytes would be. */
export function compareTexts(one, other) {
  if (one === other) return 0;
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  if (at === length) return one.length - other.length;
  const [left, right] = [one.charCodeAt(at), other.charCodeAt(at)];
  const isSurrogate = (unit) => unit >= 0xd800 && unit < 0xe000;
  if (isSurrogate(left) !== isSurrogate(right)) return isSurrogate(left) ? 1 : -1;
  return left - right;
}

const NUMBER_ID = /^__id(-?\d+)__$/;

/** Names segment by segment, ids that are numbers first. */
export const compareNames = (one, other) => compareLists(one.split("/"), other.split("/"), (left, right) => {
  const [number, otherNumber] = [NUMBER_ID.exec(left), NUMBER_ID.exec(right)];
  if (number && otherNumber) return BigInt(number[1]) < BigInt(otherNumber[1]) ? -1 : Number(left !== right);
  if (number || otherNumber) return number ? -1 : 1;
  return compareTexts(left, right);
});

const comparePoints = (one, other) =>
  (one.latitude ?? 0) - (other.latitude ?? 0) || (one.longitude ?? 0) - (other.longitude ?? 0);

function compareLists(one, other, compareItems) {
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    const order = compareItems(one[at], other[at]);
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

const compareVectors = (one, other) => one.length - other.length || compareLists(one, other, (left, right) => Number(left) - Number(right));

function compareMaps(one, other) {
  const entries = (fields) => Object.entries(fields).sort(([left], [right]) => compareTexts(left, right));
  return compareLists(entries(one), entries(other), ([name, value], [otherName, otherValue]) =>
    compareTexts(name, otherName) || compare(value, otherValue));
}

/** The value of a document at a path of names; undefined where it has none. */
export function valueAt(document, names) {
  if (names.length === 1 && names[0] === "__name__") return { referenceValue: document.name };
  let value = own(document.fields ?? {}, names[0]);
  for (const name of names.slice(1)) value = value === undefined ? undefined : own(fieldsOf(value), name);
  return value;
}

/** Compares documents by orders `{names, isDescending}`; the last names the document. */
export const compareDocuments = (orders) => (one, other) => {
  for (const { names, isDescending } of orders) {
    const [left, right] = [valueAt(one, names), valueAt(other, names)];
    const order = left && right ? compare(left, right) : Number(Boolean(left)) - Number(Boolean(right));
    if (order !== 0) return isDescending ? -order : order;
  }
  return 0;
};
