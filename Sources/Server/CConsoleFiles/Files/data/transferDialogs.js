import { csv } from "../base/csv.js";
import { button, complain, dialog, form, h, icon, keepFile, note, number, t, table, toast } from "../base/ui.js";
import { freshDocumentID, importDocuments, nameOf } from "./documents.js";
import { undoLast } from "./drawer.js";
import { write } from "./jsonText.js";
import { pagesOf } from "./pages.js";
import { parseFile, toLines, toTable } from "./transfer.js";

/** Documents of the open query to a file, and those of a file into the open collection. */

const PAGE = 1_000;
/** More than these are for an export by the server. */
const MOST = 100_000;

/** The buttons of both. */
export function transferButtons(where, collection, query) {
  const parent = collection.slice(0, -1);
  const file = h("input", { type: "file", accept: ".csv,.jsonl,.json", hidden: true, "aria-label": t("transfer.import"), onchange: async () => {
    const [chosen] = file.files;
    file.value = "";
    if (chosen) bring(where, collection, chosen.name, await chosen.text());
  } });
  const save = (kind) => all(where, parent, query).then((documents) => keepFile(`${collection.at(-1)}.${kind}`, kind === "csv" ? toTable(documents) : toLines(documents)), complain);
  return [button(t("transfer.csv"), () => save("csv"), { class: "quiet" }), button(t("transfer.json"), () => save("jsonl"), { class: "quiet" }), file, button([icon("plus"), t("transfer.import")], () => file.click(), { class: "quiet", writes: true })];
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
async function bring(where, collection, name, text) {
  const { documents, problems } = parseFile(name, text);
  const done = await dialog(t("transfer.import"), (close) => importForm(where, collection, documents, problems, close), { className: "wide" });
  if (!done) return;
  dispatchEvent(new Event("brasa-collections"));
  const { written, failed } = done;
  if (failed.length > 0) keepFile("failed.csv", csv([["id", "error"], ...failed]));
  toast(`${t("transfer.imported", written)} ${failed.length > 0 ? t("transfer.failed", failed.length) : ""}`, written > 0 ? { label: t("undo"), run: undoLast } : undefined);
}

function importForm(where, collection, documents, problems, close) {
  const save = () => importDocuments(documents.map(({ id, fields }) => ({ name: nameOf(where, [...collection, id ?? freshDocumentID()]), fields })));
  return form(close, t("transfer.count", documents.length), save,
    problems.length > 0 ? h("p", { class: "notice warn" }, icon("warning"), h("span", { class: "grow" }, t("transfer.problems", problems.length), " ", problems.slice(0, 5).map(({ row, key }) => `${t("rules.line", row)} ${t(key)}`).join(" "))) : null,
    note(t("transfer.text")), table(["document.id", "fields"], documents.slice(0, 5).map(({ id, fields }) => [h("code", {}, id ?? t("transfer.newID")), h("pre", {}, write(fields).slice(0, 2_000))])));
}
