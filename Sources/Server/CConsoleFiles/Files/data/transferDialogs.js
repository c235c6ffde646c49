import { checkbox, decision, dialog, field, h, keepFile, note, notice, number, select, show, stack, t, table } from "../base/ui.js";
import { nameOf } from "./documents.js";
import { freshDocumentID, importDocuments } from "./writes.js";
import { write as text } from "./jsonText.js";
import { pagesOf } from "./pages.js";
import { tellOutcome, withProgress } from "./progress.js";
import { COLUMN_TYPES, documentsOf, idOf, readFile, toLines, toTable } from "./transfer.js";

/** Documents of the open query to a file, and those of a file into the open collection. */

const PAGE = 1_000;
/** More than these are for an export by the server. */
const MOST = 100_000;

/** Has the browser keep the documents of a query as a file. */
export async function saveAs(where, collection, query, kind) {
  const documents = await all(where, collection.slice(0, -1), query);
  keepFile(`${collection.at(-1)}.${kind}`, kind === "csv" ? toTable(documents) : toLines(documents));
}

/** Every document of a query; not more than this is for. */
async function all(where, parent, query) {
  const found = [];
  for await (const { documents } of pagesOf(where, parent, query, PAGE)) {
    found.push(...documents);
    if (found.length >= MOST) throw new Error(t("transfer.tooMany", number(MOST)));
  }
  return found;
}

/** Shows what a file has, and writes it when that is right. */
export async function bring(where, collection, name, content) {
  const file = readFile(name, content);
  const done = await dialog(t("transfer.import"), (close) => importForm(where, collection, file, close), "wide");
  if (!done) return;
  dispatchEvent(new Event("brasa-collections"));
  tellOutcome(t("transfer.imported", done.written), done.written, done.failed, "transfer.failed");
}

const SHOWN = 10;

/** What of a file are ids and of which types columns are; the first documents as they will be; the import itself. */
function importForm(where, collection, file, close) {
  const options = { id: idOf(file), keepsID: false, types: {} };
  const preview = h("div.stack.import-preview", { tabindex: "0", role: "region", label: t("messages.preview") });
  const holder = stack();
  let documents = [];
  const choose = h("button.primary", { type: "submit", writes: true, onclick: () => write() });
  const draw = () => {
    const found = documentsOf(file, options);
    documents = found.documents;
    show(choose, t("transfer.count", documents.length));
    choose.disabled ||= documents.length === 0;
    keeps.hidden = options.id === null || options.id === "__id__";
    show(preview, problemsOf(found.problems),
      documents.length > 0 ? table(["document.id", "fields"], documents.slice(0, SHOWN).map(({ id, fields }) => [h("code", id ?? t("transfer.newID")), h("pre", text(fields).slice(0, 2_000))])) : null);
  };
  const write = () => withProgress(holder, t("transfer.import"), documents.length, t("transfer.running"), close,
    (options) => importDocuments(documents.map(({ id, fields }) => ({ name: nameOf(where, [...collection, id ?? freshDocumentID()]), fields })), options));
  const ids = select([["", t("transfer.newIDs")], ...file.columns.map(({ name }) => [name, name])], options.id ?? "", { onchange: ({ target }) => { options.id = target.value || null; draw(); } });
  const keeps = h("label.row", checkbox(false, { onchange: ({ target }) => { options.keepsID = target.checked; draw(); } }), t("transfer.keepID"));
  show(holder, note(t("transfer.text")), file.columns.length > 0 ? field("transfer.ids", ids) : null, keeps, file.rows ? columnTypes(file.columns, options, draw) : null, preview,
    decision(close, choose));
  draw();
  return holder;
}

const problemsOf = (problems) => (problems.length > 0 ? notice("warn", t("transfer.problems", problems.length), " ", problems.slice(0, 5).map(({ row, key }) => `${t("rules.line", row)} ${t(key)}`).join(" ")) : null);

/** The type of each column of a table, as guessed until somebody says another one. */
const columnTypes = (columns, options, draw) => h("details", h("summary", t("transfer.types")), h("div.column-types", columns.filter(({ name }) => name !== "__id__").map(({ name, type }) =>
  h("label.spread", h("span.why", { dir: "auto" }, name), select(COLUMN_TYPES.map((one) => [one, one === "json" ? "JSON" : t(`type.${one}`)]), type, { onchange: ({ target }) => { options.types[name] = target.value; draw(); } })))));
