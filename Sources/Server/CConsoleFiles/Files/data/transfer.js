import { csv, readCSV } from "../base/csv.js";
import { bodyText } from "../base/request.js";
import { read, write } from "./jsonText.js";
import { editText, own, parseText, typeOf } from "./value.js";

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

/** Documents of a file's text by its name: `{id, fields}`, with what is wrong as `{row, key}`. */
export const parseFile = (name, text) => (/\.csv$/i.test(name) ? fromTable(text) : fromLines(text));

function fromLines(text) {
  const found = { documents: [], problems: [] };
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "") return;
    try {
      const { name = "", fields } = JSON.parse(line);
      if (typeof fields !== "object" || fields === null) throw new SyntaxError();
      found.documents.push({ id: name.split("/").pop() || null, fields });
    } catch {
      found.problems.push({ row: index + 1, key: "json.noObject" });
    }
  });
  return found;
}

function fromTable(text) {
  const [head, ...rows] = readCSV(text) ?? [];
  if (!head) return { documents: [], problems: [{ row: 1, key: "transfer.noTable" }] };
  const columns = head.map((title, index) => columnOf(title ?? "", rows.map((row) => row[index] ?? null)));
  const found = { documents: [], problems: [] };
  rows.forEach((row, index) => {
    try {
      const fields = {};
      columns.forEach(({ name, type }, at) => { if (name !== ID && (row[at] ?? null) !== null) fields[name] = valueOf(type, row[at]); });
      const at = columns.findIndex(({ name }) => name === ID);
      found.documents.push({ id: at < 0 ? null : row[at], fields });
    } catch (error) {
      found.problems.push({ row: index + 2, key: error.key ?? "json.noValue" });
    }
  });
  return found;
}

const TYPES = ["string", "integer", "double", "boolean", "timestamp", "geopoint", "reference", "bytes", "vector", "null", "json"];

/** A column by its title, its type guessed where that says none. */
function columnOf(title, cells) {
  const [, name, type] = /^(.*?)(?::(\w+))?$/s.exec(title);
  if (title === ID || TYPES.includes(type)) return { name, type: type ?? "string" };
  return { name: title, type: guess(cells.filter((cell) => cell !== null)) };
}

/** The first type that every cell is of. */
function guess(cells) {
  const isOf = (type) => cells.every((cell) => { try { parseText(type, cell); return true; } catch { return false; } });
  return cells.length > 0 ? ["integer", "double", "boolean", "timestamp"].find(isOf) ?? "string" : "string";
}

const valueOf = (type, cell) => (type === "json" ? read(`{"v":${cell}}`).v : parseText(type, cell));
