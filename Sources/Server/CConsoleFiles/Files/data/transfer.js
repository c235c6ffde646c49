import { csv, readCSV, separatorOf } from "../base/csv.js";
import { bodyText } from "../base/request.js";
import { JSONTextError, read, write } from "./jsonText.js";
import { editText, elementsOf, fieldsOf, own, parseText, typeOf } from "./value.js";

/** Documents as files: lines of JSON as `brasa export` writes them, or a table with a type for each column. Pure. */

const ID = "__id__";
const NESTED = ["map", "array"];

/** Documents as lines of JSON, each the document of the REST API. */
export const toLines = (documents) => documents.map(({ name, fields = {} }) => bodyText({ name, fields }) + "\n").join("");

/** Documents as a table: the id, then fields as `name:type`; what has several types or parts is JSON. */
export function toTable(documents) {
  const names = [...new Set(documents.flatMap(({ fields = {} }) => Object.keys(fields)))];
  const columns = names.map((name) => {
    const types = new Set(documents.map(({ fields = {} }) => own(fields, name)).filter(Boolean).map(typeOf));
    const [type] = types;
    return { name, type: types.size === 1 && !NESTED.includes(type) && type !== "null" ? type : "json" };
  });
  const cell = (value, type) => {
    if (value === undefined) return null;
    if (type === "json") return write({ v: value }).slice(1, -1).trim().slice(4).trim();
    const text = editText(value);
    // A number is no formula; an object is written as its text.
    return type === "integer" || (type === "double" && Number.isFinite(Number(text))) ? { toString: () => text } : text;
  };
  return csv([[ID, ...columns.map(({ name, type }) => `${name}:${type}`)], ...documents.map(({ name, fields = {} }) => [name.split("/").pop(), ...columns.map((column) => cell(own(fields, column.name), column.type))])]);
}

/**
 * What a file's text has, before it is decided which of it are ids and of which types columns are. A table is `{columns, rows, problems}`; every
 * other file `{columns, records, problems}` of `{row, id, fields}`.
 */
export function readFile(name, text) {
  if (/\.(csv|tsv)$/i.test(name)) return readTable(text);
  if (/\.(jsonl|ndjson)$/i.test(name)) return readLines(text);
  return /\.json$/i.test(name) || /^\s*[[{]/.test(text) ? readObjects(text) : readTable(text);
}

const IDS = /^(__id__|_?id|uid|key|slug|documentId)$/i;

/** The column that is a file's ids, by its name and since every row has another; null where there is none. */
export function idOf(file) {
  const isWhole = (name) => {
    const all = valuesOf(file, name);
    return all.length > 0 && all.every((one) => one !== null && one !== "") && new Set(all).size === all.length;
  };
  const names = file.columns.map((column) => column.name);
  if (names.includes(ID)) return ID;
  if (file.records?.some(({ id }) => id !== null)) return null;
  return names.find((name) => IDS.test(name) && isWhole(name)) ?? null;
}

/** A column's values as ids. */
function valuesOf({ columns, rows, records }, name) {
  if (rows) {
    const at = columns.findIndex((column) => column.name === name);
    return rows.map((row) => row[at] ?? null);
  }
  return records.map(({ fields }) => idText(own(fields, name)));
}

const idText = (value) => value?.stringValue ?? value?.integerValue ?? null;

/** The documents of a file: `id` names the column of ids, null for new ones; `keepsID` leaves it among the fields; `types` are those of a table's columns by name. */
export function documentsOf(file, { id = null, keepsID = false, types = {} } = {}) {
  const found = { documents: [], problems: [...file.problems] };
  const ids = id === null ? null : valuesOf(file, id);
  const drops = (name) => name === ID || (name === id && !keepsID);
  (file.rows ?? file.records).forEach((one, index) => {
    const row = file.rows ? index + 2 : one.row;
    try {
      const fields = file.rows ? rowFields(file, one, types, drops) : Object.fromEntries(Object.entries(one.fields).filter(([name]) => !drops(name)));
      const chosen = ids ? ids[index] : (one.id ?? null);
      if (chosen?.includes("/")) throw new JSONTextError("document.badID", 0);
      found.documents.push({ id: chosen || null, fields });
    } catch (error) {
      found.problems.push({ row, key: error.key ?? "json.noValue" });
    }
  });
  return found;
}

function rowFields({ columns, isDecimalComma }, row, types, drops) {
  // Entries, so that every name is one of data.
  const entries = columns.map(({ name, type }, at) => [name, type, row[at] ?? null]).filter(([name, , cell]) => cell !== null && !drops(name));
  return Object.fromEntries(entries.map(([name, type, cell]) => [name, valueOf(own(types, name) ?? type, cell, isDecimalComma)]));
}

// Objects

/** Lines of JSON, or one array or object of them. */
function readObjects(text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return (lines.length > 1 && lines.every((line) => /^\s*\{.*\}\s*$/.test(line))) || !isJSON(text) ? readLines(text) : readWhole(text);
}

function isJSON(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function readLines(text) {
  const records = [];
  const problems = [];
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "") return;
    try {
      records.push({ row: index + 1, ...recordOf(line) });
    } catch (error) {
      problems.push({ row: index + 1, key: error.key ?? "json.noObject" });
    }
  });
  return { records, problems, columns: namesOfRecords(records) };
}

/** A line's document: in the form of the REST API, or a plain object whose values tell their types. */
function recordOf(line) {
  const typed = typedRecord(JSON.parse(line));
  return typed ?? { id: null, fields: read(line) };
}

const TYPED = /^(null|boolean|integer|double|timestamp|string|bytes|reference|geoPoint|array|map)Value$/;

/** A document of the REST API; null for what is none. */
function typedRecord(object) {
  const { name = "", fields, ...rest } = object ?? {};
  const isTyped = typeof fields === "object" && fields !== null && typeof name === "string" && Object.keys(rest).every((key) => ["createTime", "updateTime"].includes(key))
    && Object.values(fields).every((value) => Object.keys(value ?? {}).length === 1 && TYPED.test(Object.keys(value)[0]));
  return isTyped ? { id: name.split("/").pop() || null, fields } : null;
}

/** An array of objects, an object of objects by their ids, or one object. */
function readWhole(text) {
  const plain = JSON.parse(text);
  try {
    const whole = read(`{"v":${text}}`).v;
    const records = Array.isArray(plain) ? elementsOf(whole).map((value, index) => recordAt(plain[index], value, null, index)) : recordsOf(plain, whole);
    const problems = records.filter((one) => one.key);
    return { records: records.filter((one) => !one.key), problems, columns: namesOfRecords(records) };
  } catch (error) {
    if (!error.key) throw error;
    return { records: [], problems: [{ row: text.slice(0, error.offset ?? 0).split("\n").length, key: error.key }], columns: [] };
  }
}

function recordsOf(plain, whole) {
  const typed = typedRecord(plain);
  if (typed) return [{ row: 1, ...typed }];
  const entries = Object.entries(fieldsOf(whole));
  const isByID = entries.length > 0 && entries.every(([name, value]) => typeOf(value) === "map" && !name.startsWith("$"));
  if (!isByID) return [{ row: 1, id: null, fields: fieldsOf(whole) }];
  return entries.map(([name, value], index) => recordAt(own(plain, name), value, name.split("/").pop(), index));
}

function recordAt(plain, value, id, index) {
  const typed = typedRecord(plain);
  if (typed) return { row: index + 1, ...typed, id: typed.id ?? id };
  return typeOf(value) === "map" ? { row: index + 1, id, fields: fieldsOf(value) } : { row: index + 1, key: "json.noObject" };
}

/** The names of fields that could be ids: those with texts and whole numbers. */
function namesOfRecords(records) {
  const names = new Set();
  for (const { fields = {} } of records) for (const [name, value] of Object.entries(fields)) if (["string", "integer"].includes(typeOf(value))) names.add(name);
  return [...names].map((name) => ({ name, type: null }));
}

// Tables

function readTable(text) {
  const separator = separatorOf(text);
  const [head, ...rows] = readCSV(text, separator) ?? [];
  if (!head) return { columns: [], rows: [], problems: [{ row: 1, key: "transfer.noTable" }] };
  const isDecimalComma = separator === ";";
  const columns = head.map((title, index) => columnOf(title ?? "", rows.map((row) => row[index] ?? null), isDecimalComma));
  return { columns, rows, isDecimalComma, problems: [] };
}

/** The types that a table's column may have. */
export const COLUMN_TYPES = ["string", "integer", "double", "boolean", "timestamp", "geopoint", "reference", "bytes", "vector", "null", "json"];

/** A column by its title, its type guessed where that says none. */
function columnOf(title, cells, isDecimalComma) {
  const [, name, type] = /^(.*?)(?::(\w+))?$/s.exec(title);
  if (title === ID || COLUMN_TYPES.includes(type)) return { name, type: type ?? "string" };
  return { name: title, type: guess(cells.filter((cell) => cell !== null), isDecimalComma) };
}

/** The first type that every cell is of. */
function guess(cells, isDecimalComma) {
  const isOf = (type) => cells.every((cell) => { try { valueOf(type, cell, isDecimalComma); return true; } catch { return false; } });
  // Codes keep their zeros.
  if (cells.some((cell) => /^0\d/.test(cell))) return "string";
  return cells.length > 0 ? ["integer", "double", "boolean", "timestamp"].find(isOf) ?? "string" : "string";
}

/** The value of a cell; where semicolons are between cells, numbers may have a comma. */
function valueOf(type, cell, isDecimalComma) {
  if (type === "json") return read(`{"v":${cell}}`).v;
  const text = type === "double" && isDecimalComma && /^[-+]?\d+(\.\d{3})*,\d+$/.test(cell) ? cell.replaceAll(".", "").replace(",", ".") : cell;
  return parseText(type, text);
}
