import { call, databaseName, link, resource } from "../base/ui.js";

/** The names of documents and collections, and what there is of them. */

/** The name of a document or collection by the segments of its path. */
export const nameOf = ({ project, database }, path) => [databaseName(project, database), "documents", ...path].join("/");

/** The place of a document or collection, and its address. */
export const placeOf = ({ project, database }, path, query) => ({ project, area: "firestore", rest: [database, "data", ...path], query });
export const linkTo = ({ database }, path, query) => link("firestore", [database, "data", ...path], query);

/** The segments of a path by its name. */
export const pathOf = (name) => name.split("/").slice(5);

/** The ids of the collections below a document, or at the top where the path is empty. */
export async function listCollections(place, path) {
  const ids = [];
  let pageToken = "";
  do {
    const answer = await call("POST", `${resource(nameOf(place, path))}:listCollectionIds`, { pageSize: 300, pageToken });
    ids.push(...(answer.collectionIds ?? []));
    pageToken = answer.nextPageToken ?? "";
  } while (pageToken && ids.length < 3_000);
  return ids;
}

/** How many documents a query has; counted by the server. */
export async function countDocuments(place, parent, query) {
  const body = { structuredAggregationQuery: { structuredQuery: query, aggregations: [{ alias: "n", count: {} }] } };
  const [answer] = await call("POST", `${resource(nameOf(place, parent))}:runAggregationQuery`, body);
  return Number(answer.result.aggregateFields.n.integerValue);
}
