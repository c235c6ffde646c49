import { call, failure, h, icon, iconButton, inScope, note, onCleanup, quiet, resource, show, spread, t, withQuery } from "../base/ui.js";
import { viewed } from "../base/viewing.js";
import { linkTo, listCollections, nameOf, pathOf } from "./documents.js";

/** The way to a document in columns: collections and documents in turn, as far as the path leads. */

const PAGE = 100;

/** The columns of a path; `where` has project and database. */
export function tree(where, path) {
  const columns = [...path, null].map((segment, at) => column(where, path.slice(0, at), segment));
  const element = h("div.tree", { role: "group", label: t("view.tree") }, columns);
  // The columns that are new are the last ones.
  queueMicrotask(() => { element.scrollLeft = element.scrollWidth; });
  return element;
}

/** What is below a path: a document's collections, or the documents of a collection; `current` is the one on the way. */
function column(where, path, current) {
  const isCollections = path.length % 2 === 0;
  const list = h("ul");
  const more = h("div");
  const rowOf = ({ id, isMissing }) => h("li", h("a", {
    href: linkTo(where, [...path, id], { view: "tree" }), "aria-current": id === current ? "true" : null, dir: "auto", class: isMissing ? "missing" : null, title: isMissing ? t("tree.missing") : null,
  }, h("span.grow", id), icon("chevron")));
  const load = inScope(async (token = "") => {
    try {
      const { rows, next } = await (isCollections ? collections(where, path) : documents(where, path, token));
      if (!token) show(list);
      if (!token && current !== null && !rows.some((one) => one.id === current)) rows.unshift({ id: current, isMissing: false });
      list.append(...rows.map(rowOf));
      show(more, next ? quiet(t("users.more"), () => load(next)) : null, list.childElementCount === 0 ? note(t(isCollections ? "subcollections.none" : "documents.none")) : null);
    } catch (error) {
      show(more, failure(error));
    }
  });
  const reload = () => load();
  addEventListener("brasa-collections", reload);
  onCleanup(() => removeEventListener("brasa-collections", reload));
  reload();
  const name = path.at(-1) ?? where.database;
  return h("nav", { label: name }, spread(h("h2.note", { dir: "auto" }, name), iconButton("reload", t("reload"), reload)), list, more);
}

const collections = async (where, path) => ({ rows: (await listCollections(where, path)).sort().map((id) => ({ id })) });

/** The documents of a collection by their ids; those that are only on the way to others are missing, and for administrators alone. */
async function documents(where, path, token) {
  const isOwn = viewed.peek() === null;
  const query = { pageSize: PAGE, showMissing: isOwn ? "true" : null, "mask.fieldPaths": "__name__", pageToken: token };
  const { documents: found = [], nextPageToken = null } = await call("GET", withQuery(resource(nameOf(where, path)), query));
  return { rows: found.map(({ name, createTime }) => ({ id: pathOf(name).at(-1), isMissing: !createTime })), next: nextPageToken };
}
