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

/** What lies between the cells of a text's first row: a comma, a semicolon or a tab, whichever it has most of. */
export function separatorOf(source) {
  const [first] = source.replaceAll(/"(?:[^"]|"")*"/g, "").split(/\r?\n/, 1);
  const counts = [",", ";", "\t"].map((one) => [one, first.split(one).length]);
  return counts.sort((one, other) => other[1] - one[1])[0][0];
}

/** The rows of a text: texts, null where a cell has nothing. */
export function readCSV(source, separator = ",") {
  const rows = [];
  let row = [];
  const cells = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`, "gy");
  const text = source.replace(/^\ufeff/, "");
  while (cells.lastIndex < text.length || row.length > 0) {
    const found = cells.exec(text);
    if (!found) return null;
    const [, quoted, plain, end] = found;
    const value = quoted === undefined ? plain : quoted.replaceAll('""', '"');
    row.push(quoted === undefined && plain === "" ? null : /^'['=+\-@\t\r]/.test(value) ? value.slice(1) : value);
    if (end === separator) continue;
    if (row.length > 1 || row[0] !== null) rows.push(row);
    row = [];
    if (end === "") break;
  }
  return rows;
}
