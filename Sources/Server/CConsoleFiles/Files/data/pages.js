import { call, resource } from "../base/api.js";
import { nameOf } from "./documents.js";
import { valueAt } from "./order.js";
import { structuredQuery } from "./query.js";

/** Every document of a query at one instant: `{documents, readTime}`, a page after the other. */
export async function* pagesOf(where, parent, query, size) {
  let [count, after, readTime] = [0, null, null];
  for (;;) {
    const limit = Math.min(size, (query.limit ?? Infinity) - count);
    if (limit <= 0) return;
    const structured = structuredQuery({ ...query, limit, after });
    const answer = await call("POST", `${resource(nameOf(where, parent))}:runQuery`, { structuredQuery: structured, ...(readTime ? { readTime } : {}) });
    readTime ??= answer[0]?.readTime;
    const documents = answer.filter((one) => one.document).map((one) => one.document);
    if (documents.length > 0) yield { documents, readTime };
    if (documents.length < limit) return;
    count += documents.length;
    after = query.orders.map((order) => valueAt(documents.at(-1), order.names));
  }
}

