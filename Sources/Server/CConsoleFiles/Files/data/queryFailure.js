import { explain, h, icon, link, t } from "../base/ui.js";
import { readIndex } from "../indexes/link.js";

/** Why a query has no results: in our words where an index is missing, with the index and the way to it. */
export function queryFailure(error, where) {
  const [, kind, parameter] = /create_(composite|exemption)=([\w-]+)/.exec(error.message ?? "") ?? [];
  const index = parameter ? readIndex(parameter) : null;
  const told = index ? [h("p", explain({ code: error.status, message: error.message })), indexText(index), h("p", h("a.button", { href: `${link("firestore", [where.database, "indexes"])}?create_${kind}=${parameter}` }, t("index.create")))]
    : [h("p.why", explain({ code: error.status, message: error.message }))];
  return h("div.notice.danger", { role: "alert" }, icon("warning"), h("div.grow.stack", told));
}

/** An index as its collection and fields. */
function indexText({ collection, scope, fields }) {
  const sign = ({ order, arrayConfig }) => (arrayConfig ? "[ ]" : order === "DESCENDING" ? "↓" : "↑");
  return h("p.mono.why", { dir: "auto" }, scope === "COLLECTION_GROUP" ? `group(${collection})` : collection, ": ", fields.filter(({ fieldPath }) => fieldPath !== "__name__").map((one) => `${one.fieldPath} ${sign(one)}`).join(", "));
}
