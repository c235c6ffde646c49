/**
 * Firestore's values in the form of the REST API, which loses nothing: 3 and 3.0 differ, integers have 64 bits.
 * The only module that turns them into text and back. Pure.
 */

/** The types in the order in which people look for them. */
export const TYPES = [
  "string", "integer", "double", "boolean", "map", "array", "null", "timestamp", "geopoint", "reference", "bytes", "vector",
];

/** A sign for each type, for eyes only. */
export const GLYPHS = {
  string: "Aa", integer: "12", double: "1.5", boolean: "0/1", map: "{ }", array: "[ ]", null: "–", timestamp: "◷", geopoint: "@",
  reference: "→", bytes: "0x", vector: "⟨⟩", missing: "", id: "",
};

const FIELDS = {
  nullValue: "null", booleanValue: "boolean", integerValue: "integer", doubleValue: "double", stringValue: "string",
  timestampValue: "timestamp", geoPointValue: "geopoint", bytesValue: "bytes", referenceValue: "reference",
  mapValue: "map", arrayValue: "array",
};

const MOST_INTEGER = 2n ** 63n - 1n;
const LEAST_INTEGER = -(2n ** 63n);
const VECTOR_MARK = "__vector__";

/** The type of a value; a vector is told from the map that it is made of. */
export function typeOf(value) {
  const field = Object.keys(value ?? {}).find((name) => name in FIELDS);
  const type = FIELDS[field] ?? "null";
  if (type === "map" && value.mapValue.fields?.__type__?.stringValue === VECTOR_MARK) return "vector";
  return type;
}

/** The keys of the maps that are values of a type of BSON's, and the value as a person reads it. */
const BSON = {
  __min__: () => "MinKey",
  __max__: () => "MaxKey",
  __int__: (inner) => `Int32(${inner.integerValue})`,
  __decimal128__: (inner) => `Decimal128(${inner.stringValue})`,
  __oid__: (inner) => `ObjectId(${inner.stringValue})`,
  __binary__: (inner) => `Binary(${binaryParts(inner).join(", ")})`,
  __request_timestamp__: (inner) => `Timestamp(${fieldsOf(inner).seconds?.integerValue}, ${fieldsOf(inner).increment?.integerValue})`,
  __regex__: (inner) => `/${cut(fieldsOf(inner).pattern?.stringValue ?? "", 120)}/${fieldsOf(inner).options?.stringValue ?? ""}`,
};

function binaryParts(inner) {
  const bytes = atob(inner.bytesValue ?? "");
  return [bytes.charCodeAt(0) || 0, `${Math.max(bytes.length - 1, 0)} B`];
}

/** The reserved key of a map that is a value of a type of BSON's, such as `__oid__`; null for other values. */
export function bsonKey(value) {
  const names = Object.keys(value?.mapValue?.fields ?? {});
  return names.length === 1 && Object.hasOwn(BSON, names[0]) ? names[0] : null;
}

/** The fields of a map, the elements of an array. */
export const fieldsOf = (value) => value.mapValue?.fields ?? {};
export const elementsOf = (value) => value.arrayValue?.values ?? [];
/** The components of a vector, as texts of doubles. */
export const componentsOf = (value) => elementsOf(fieldsOf(value).value ?? {}).map(doubleText);

/** A value that a field of that type begins with. */
export function initial(type) {
  switch (type) {
    case "null": return { nullValue: null };
    case "boolean": return { booleanValue: false };
    case "integer": return { integerValue: "0" };
    case "double": return { doubleValue: 0 };
    case "string": return { stringValue: "" };
    case "timestamp": return { timestampValue: "1970-01-01T00:00:00Z" };
    case "geopoint": return { geoPointValue: { latitude: 0, longitude: 0 } };
    case "bytes": return { bytesValue: "" };
    case "reference": return { referenceValue: "" };
    case "map": return { mapValue: { fields: {} } };
    case "array": return { arrayValue: { values: [] } };
    case "vector": return vector([{ doubleValue: 0 }]);
    default: throw new TypeError(type);
  }
}

const vector = (components) => ({ mapValue: { fields: { __type__: { stringValue: VECTOR_MARK }, value: { arrayValue: { values: components } } } } });

/** A text that is no value of its type: where, and the key of the sentence that says why. */
export class ValueError extends Error {
  constructor(key, offset = 0, detail = "") {
    super(key);
    Object.assign(this, { key, offset, detail });
  }
}

/** The text in which a simple value is edited; `parseText` reads it back unchanged. */
export function editText(value) {
  switch (typeOf(value)) {
    case "null": return "null";
    case "boolean": return String(value.booleanValue);
    case "integer": return String(value.integerValue);
    case "double": return doubleText(value);
    case "string": return value.stringValue;
    case "timestamp": return value.timestampValue;
    case "geopoint": return `${value.geoPointValue.latitude ?? 0}, ${value.geoPointValue.longitude ?? 0}`;
    case "bytes": return value.bytesValue ?? "";
    case "reference": return value.referenceValue;
    case "vector": return componentsOf(value).join(", ");
    default: throw new TypeError("maps and arrays have no text");
  }
}

/** The value of a type that a text means; throws `ValueError`. */
export function parseText(type, text) {
  switch (type) {
    case "null": return { nullValue: null };
    case "boolean": return { booleanValue: one(text.trim(), { true: true, false: false }, "value.notBoolean") };
    case "integer": return { integerValue: integer(text.trim()) };
    case "double": return double(text.trim());
    case "string": return { stringValue: text };
    case "timestamp": return { timestampValue: timestamp(text.trim()) };
    case "geopoint": return { geoPointValue: geopoint(text) };
    case "bytes": return { bytesValue: base64(text.trim()) };
    case "reference": return { referenceValue: reference(text.trim()) };
    case "vector": return vector(text.split(",").map((part) => double(part.trim())));
    default: throw new TypeError(type);
  }
}

function one(text, choices, key) {
  if (!Object.hasOwn(choices, text)) throw new ValueError(key);
  return choices[text];
}

function integer(text) {
  if (!/^[+-]?\d+$/.test(text)) throw new ValueError("value.notInteger");
  const number = BigInt(text.replace(/^\+/, ""));
  if (number > MOST_INTEGER || number < LEAST_INTEGER) throw new ValueError("value.integerRange");
  return String(number);
}

const NAMED_DOUBLES = ["NaN", "Infinity", "-Infinity"];

function double(text) {
  if (NAMED_DOUBLES.includes(text)) return { doubleValue: text };
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) throw new ValueError("value.notNumber");
  const number = Number(text);
  return { doubleValue: Number.isFinite(number) ? number : number > 0 ? "Infinity" : "-Infinity" };
}

/** A double with what tells it from an integer; -0 keeps its sign. */
export function doubleText(value) {
  const number = value.doubleValue ?? value.integerValue ?? 0;
  if (typeof number === "string") return number;
  if (Object.is(number, -0)) return "-0.0";
  return Number.isInteger(number) && Math.abs(number) < 1e21 ? `${number}.0` : String(number);
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/;

function timestamp(text) {
  const parts = INSTANT.exec(text);
  if (!parts) throw new ValueError("value.notTimestamp");
  const [, day, minute, second = ":00", fraction = "", zone = "Z"] = parts;
  const date = new Date(`${day}T${minute}${second}${zone}`);
  if (Number.isNaN(date.getTime())) throw new ValueError("value.notTimestamp");
  if (zone === "Z" && date.toISOString().slice(0, 10) !== day) throw new ValueError("value.notTimestamp");
  return `${date.toISOString().slice(0, 19)}${fraction}Z`;
}

function geopoint(text) {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.length !== 2 || parts.some((part) => part === "")) throw new ValueError("value.notGeopoint");
  const [latitude, longitude] = parts.map(Number);
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) throw new ValueError("value.geopointRange");
  return { latitude, longitude };
}

function base64(text) {
  const plain = text.replaceAll(/\s/g, "");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain) || plain.length % 4 !== 0) throw new ValueError("value.notBytes");
  return plain;
}

function reference(text) {
  const segments = text.split("/");
  const isDocument = /^projects\/[^/]+\/databases\/[^/]+\/documents\/.+/.test(text);
  if (!isDocument || segments.length % 2 === 0 || segments.includes("")) throw new ValueError("value.notReference");
  return text;
}

/** How many bytes a value of bytes has. */
export function byteCount(text) {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}

/** The beginning of a text, without breaking a character. */
export function cut(text, length) {
  if (text.length <= length) return text;
  const end = text.charCodeAt(length - 1) >= 0xd800 && text.charCodeAt(length - 1) < 0xdc00 ? length - 1 : length;
  return `${text.slice(0, end)}…`;
}

const SHOWN_ELEMENTS = 6;
const SHOWN_DEPTH = 3;

/** A value in one line, for a cell; long ones are cut. */
export function summary(value, depth = 0) {
  const type = typeOf(value);
  const key = bsonKey(value);
  if (key) return BSON[key](fieldsOf(value)[key]);
  switch (type) {
    case "string": return depth === 0 ? cut(value.stringValue, 200) : JSON.stringify(cut(value.stringValue, 40));
    case "bytes": return `${byteCount(value.bytesValue ?? "")} B ${cut(value.bytesValue ?? "", 24)}`;
    case "reference": return cut(value.referenceValue.split("/documents/")[1] ?? value.referenceValue, 120);
    case "geopoint": return `[${editText(value)}]`;
    case "vector": return `⟨${brief(componentsOf(value))}⟩`;
    case "map": return inner(Object.entries(fieldsOf(value)), "{", "}", depth, ([name, field]) => `${cut(name, 40)}: ${summary(field, depth + 1)}`);
    case "array": return inner(elementsOf(value), "[", "]", depth, (element) => summary(element, depth + 1));
    default: return editText(value);
  }
}

function inner(parts, open, close, depth, text) {
  if (depth >= SHOWN_DEPTH && parts.length > 0) return `${open}…${close}`;
  return open + brief(parts, text) + close;
}

function brief(parts, text = String) {
  const shown = parts.slice(0, SHOWN_ELEMENTS).map(text).join(", ");
  return parts.length > SHOWN_ELEMENTS ? `${shown}, … ${parts.length}` : shown;
}

/** Whether two values are the same, whatever the order of their maps' fields. */
export const isSame = (one, other) => canonical(one) === canonical(other);

function canonical(value) {
  const type = typeOf(value);
  if (type === "map" || type === "vector") {
    const fields = Object.entries(fieldsOf(value)).sort(([one], [other]) => (one < other ? -1 : 1));
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join()}}`;
  }
  if (type === "array") return `[${elementsOf(value).map(canonical).join()}]`;
  return `${type} ${editText(value)}`;
}

/** A member of an object by a name that came as data; undefined where it has none of its own. */
export const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

/** A field's path in the form of masks: names that are no identifiers in backticks. */
export const fieldPath = (...names) => names
  .map((name) => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``))
  .join(".");
