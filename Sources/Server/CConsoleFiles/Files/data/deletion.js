import { actions, button, call, checkbox, complain, dialog, h, resource, show, stack, t, toast } from "../base/ui.js";
import { countDocuments, listCollections, nameOf, pathOf } from "./documents.js";
import { tellOutcome, withProgress } from "./progress.js";
import { changeDocuments, deleteDocuments } from "./writes.js";
import { descendantsQuery } from "./query.js";
import { undoLast } from "./undo.js";

/** Documents and collections deleted with everything below them: counted first, watched, ended half-way, undone. */

const PAGE = 300;
/** More documents than these are not looked through for collections before they are deleted. */
const MOST_LOOKED_AT = 100;

const parentOf = (path) => (path.length % 2 === 0 ? path : path.slice(0, -1));

/** The documents below a path at one instant, by name and time of change alone: `{documents, readTime}`, a page after the other. */
async function* descendants(where, path) {
  let [after, readTime] = [null, null];
  for (;;) {
    const structuredQuery = { ...descendantsQuery(nameOf(where, []), path), select: { fields: [{ fieldPath: "__name__" }] }, limit: PAGE, ...(after ? { startAt: { values: [{ referenceValue: after }], before: false } } : {}) };
    const answer = await call("POST", `${resource(nameOf(where, parentOf(path)))}:runQuery`, { structuredQuery, ...(readTime ? { readTime } : {}) });
    readTime ??= answer[0]?.readTime;
    const documents = answer.filter((one) => one.document).map((one) => one.document);
    yield { documents, readTime };
    if (documents.length < PAGE) return;
    after = documents.at(-1).name;
  }
}

const countBelow = (where, path) => countDocuments(where, parentOf(path), descendantsQuery(nameOf(where, []), path));

const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

/** Asks whether a document is to be deleted, and what is in its collections with it; gives whether something was. */
export async function removeDocument(where, path, document, failed) {
  const name = path.at(-1);
  const words = { title: t("document.delete"), text: t("document.deleteText", path.join("/")), action: t("document.deleteIt", name), done: t("document.deleted") };
  return remove(where, [path], document ? [document] : [], words, failed);
}

/** The same of several documents of a table. */
export async function removeDocuments(where, documents) {
  const action = t("rows.delete", documents.length);
  return remove(where, documents.map(({ name }) => pathOf(name)), documents, { title: action, text: t("rows.deleteText"), action, done: t("rows.deleted", documents.length) }, complain);
}

async function remove(where, paths, documents, words, failed) {
  try {
    const found = paths.length > MOST_LOOKED_AT ? null : await Promise.all(paths.map((path) => listCollections(where, path)));
    const ids = found ? [...new Set(found.flat())].sort() : null;
    const mayHaveMore = ids === null || ids.length > 0;
    if (!mayHaveMore && documents.length === 0) return false;
    const count = found ? sum(await Promise.all(paths.filter((_, index) => found[index].length > 0).map((path) => countBelow(where, path)))) : null;
    const pages = async function* pages() {
      let readTime = null;
      for (const path of paths) for await (const page of descendants(where, path)) yield { ...page, readTime: (readTime ??= page.readTime) };
      yield { documents, readTime };
    };
    const outcome = await dialog(words.title, (close) => question(words, mayHaveMore ? { ids, count } : null, documents.length, pages, close));
    if (!outcome) return false;
    if (outcome === "alone") await removeAlone(documents, words);
    else tell(outcome, words.done);
    dispatchEvent(new Event("brasa-collections"));
    return true;
  } catch (error) {
    failed(error);
    return false;
  }
}

/** Deletes the documents and leaves what is below them. */
async function removeAlone(documents, { done }) {
  const notDone = await deleteDocuments(documents);
  toast(notDone > 0 ? t("rows.notDeleted", notDone) : done, { label: t("undo"), run: undoLast });
}

function tell({ changed, failed }, done) {
  tellOutcome(failed.length > 0 ? t("rows.deleted", changed) : `${done} · ${t("rows.deleted", changed)}`, changed, failed);
}

/** Asks what goes; deletes with progress where there is something below. */
function question(words, below, own, pages, close) {
  const box = checkbox(true, { disabled: own === 0 });
  const form = stack();
  const act = () => (below && box.checked ? run(form, words, below.count === null ? null : below.count + own, pages, close) : close("alone"));
  const label = below && h("label.choice", box, h("span.grow", t("delete.below", below.ids?.join(", ")), below.count === null ? null : [" ", h("span.muted", t("delete.belowCount", below.count))]));
  return show(form, h("p.why", words.text), label,
    actions(button(t("cancel"), () => close(null), { autofocus: true }), h("button.danger", { type: "submit", onclick: act, writes: true }, words.action)));
}

const run = (form, { title }, count, pages, close) => withProgress(form, title, count, t("bulk.running"), close, (options) => changeDocuments(pages(), () => null, options), (done) => t("rows.deleted", done));

/** Asks whether a collection is to be deleted, with everything in it. */
export async function removeCollection(where, path) {
  try {
    const count = await countBelow(where, path);
    const words = { title: t("collection.delete"), action: t("rows.delete", count) };
    const outcome = await dialog(words.title, (close) => {
      const form = stack();
      return show(form, h("p.why", t("collection.deleteText", path.join("/"))),
        actions(button(t("cancel"), () => close(null), { autofocus: true }), h("button.danger", { type: "submit", onclick: () => run(form, words, count, () => descendants(where, path), close), writes: true }, words.action)));
    });
    if (!outcome) return false;
    tell(outcome, t("collection.deleted", path.at(-1)));
    dispatchEvent(new Event("brasa-collections"));
    return outcome.failed.length === 0;
  } catch (error) {
    complain(error);
    return false;
  }
}
