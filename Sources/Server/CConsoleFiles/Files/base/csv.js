/**
 * Rows as CSV and back. Pure.
 *
 * A text that a spreadsheet would run as a formula, or that begins with an apostrophe, has one apostrophe more. An empty text
 * is in quotes, and nothing at all is nothing.
 */

const MARKED = /^['=+\-@\t\r]/;

/** Rows of texts, numbers and nothing. */
export function csv(rows) {
  const cell = (value) => {
    if (value === null || value === undefined) return "";
    const text = typeof value === "string" && MARKED.test(value) ? `'${value}` : String(value);
    return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(",") + "\r\n").join("");
}

/** The rows of a text: texts, null where a cell has nothing. */
export function readCSV(source) {
  const rows = [];
  let row = [];
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
  const text = source.replace(/^\ufeff/, "");
  while (cells.lastIndex < text.length || row.length > 0) {
    const found = cells.exec(text);
    if (!found) return null;
    const [, quoted, plain, end] = found;
    const value = quoted === undefined ? plain : quoted.replaceAll('""', '"');
    row.push(quoted === undefined && plain === "" ? null : /^'['=+\-@\t\r]/.test(value) ? value.slice(1) : value);
    if (end === ",") continue;
    if (row.length > 1 || row[0] !== null) rows.push(row);
    row = [];
    if (end === "") break;
  }
  return rows;
}
