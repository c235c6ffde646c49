import { button, call, dialog, field, go, h, icon, input, instant, ownForm, place, resource, t } from "../base/ui.js";

/** A query's documents as they were at an instant, as far as history reaches. */

/** Reads a query once, in the form of a listener: gives what ends it. */
export function readAt(parent, structuredQuery, readTime, onSnapshot, onError) {
  const end = new AbortController();
  const body = { structuredQuery, readTime };
  call("POST", `${resource(parent)}:runQuery`, body, { signal: end.signal }).then(
    (found) => onSnapshot({ documents: new Map(found.filter((one) => one.document).map(({ document }) => [document.name, document])) }),
    (error) => { if (error.name !== "AbortError") onError({ status: error.code, message: error.message }); });
  return () => end.abort();
}

const open = (at) => {
  const { query: { at: _, ...query }, ...rest } = place.peek();
  go({ ...rest, query: at ? { ...query, at } : query });
};

/** Asks for an instant, and shows the query's documents as they were. */
export async function askInstant() {
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  const chosen = input(local, { type: "datetime-local", step: 1, max: local, required: true });
  const at = await dialog(t("asOf"), (close) => ownForm(close, t("asOf.show"), () => (chosen.reportValidity() ? new Date(chosen.value).toISOString() : undefined), h("p", t("asOf.text")), field("asOf.instant", chosen)));
  if (at) open(at);
}

/** Says above the documents that they are of the past. */
export const asOfNotice = (at) =>
  h("div.notice", icon("history"), h("span.grow", t("asOf.shown", instant(at))), button(t("asOf.now"), () => open(null)));
