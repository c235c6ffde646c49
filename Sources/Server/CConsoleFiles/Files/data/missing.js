import { call, h, note, resource, t, withQuery } from "../base/ui.js";
import { viewed } from "../base/viewing.js";
import { linkTo, nameOf, pathOf } from "./documents.js";

/** Ids that are no documents and have collections below them. */

const MOST_IDS = 300;

/** The ids of a collection that only have collections below them, for administrators alone; of its first three hundred ids, as the tree has all of them. */
export async function missingDocuments(where, collection) {
  if (viewed.peek() !== null) return [];
  const query = { pageSize: MOST_IDS, showMissing: "true", "mask.fieldPaths": "__name__" };
  const { documents = [] } = await call("GET", withQuery(resource(nameOf(where, collection)), query));
  return documents.filter(({ createTime }) => !createTime).map(({ name }) => pathOf(name).at(-1));
}

const SHOWN_MISSING = 50;

/** The ids of a collection that are no documents and have collections below them; open where there is nothing else. */
export const missingList = (where, collection, ids, isOpen) => h("details.missing-list", { open: isOpen }, h("summary", t("documents.missing", ids.length)),
  h("ul.row", ids.slice(0, SHOWN_MISSING).map((id) => h("li", h("a", { href: linkTo(where, [...collection, id]), dir: "auto", class: "mono" }, id)))),
  ids.length > SHOWN_MISSING ? note(t("documents.missingMore", ids.length - SHOWN_MISSING)) : null);
