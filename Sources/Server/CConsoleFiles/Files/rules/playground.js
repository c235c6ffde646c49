import { area, call, CallError, databaseName, explain, field, freshID, h, icon, input, place, resource, select, show, t } from "../base/ui.js";
import { JSONTextError, read } from "../data/jsonText.js";
import { get } from "../files/store.js";
import { tryRequest } from "./store.js";

/** A request that the address asks for, as a link from what was denied does. */
const asked = () => place.peek().query;

const NEW_FILE = '{ "size": 1000, "contentType": "image/png" }';

const METHODS = ["get", "list", "create", "update", "delete"];

/** Tries a request on the rules as they are written, with the document as it is now, and says why they answer as they do. */
export function playground(project, target, source) {
  const method = select(METHODS, asked().method);
  const path = input(asked().path, { required: true });
  const note = h("p.note", { id: freshID("note") }, t("playground.uidText"));
  const uid = input(asked().uid, { "aria-describedby": note.id });
  const claims = area("{}", 2);
  const fields = area(target.bucket ? NEW_FILE : "{}", 4);
  const fieldsLabel = field(target.bucket ? "playground.file" : "playground.fields", fields);
  const outcome = h("div.stack", { role: "status" });
  const drawFields = () => { fieldsLabel.hidden = !["create", "update"].includes(method.value); };
  method.addEventListener("change", drawFields);
  drawFields();

  const run = async () => {
    try {
      const test = await caseOf({ project, ...target, method: method.value, path: path.value, uid: uid.value, claims: claims.value, fields: fields.value });
      show(outcome, verdict(await tryRequest(project, source(), test)));
    } catch (error) {
      show(outcome, h("p.error", messageOf(error)));
    }
  };
  return h("section.panel.stack", { label: t("playground") }, h("h2", t("playground")),
    h("form.stack", { onsubmit: run },
      field("playground.method", method),
      field(target.bucket ? "playground.filePath" : "playground.path", path),
      field("users.uid", uid), note,
      field("playground.claims", claims),
      fieldsLabel,
      h("div", h("button", { type: "submit" }, icon("play"), t("playground.run")))),
    outcome);
}

function messageOf(error) {
  if (error instanceof JSONTextError) return t(error.key);
  if (error instanceof SyntaxError) return t("playground.badClaims");
  return explain(error);
}

/** The test case of what was asked for, with the document as it is now. */
export async function caseOf({ project, database, bucket, method, path, uid, claims, fields }) {
  if (bucket) return fileCaseOf({ bucket, method, path, uid, claims, fields });
  const segments = path.split("/").filter(Boolean);
  const name = [databaseName(project, database), "documents", ...segments].join("/");
  const request = { method, path: ["", "databases", database, "documents", ...segments].join("/") };
  if (uid) request.auth = { uid, token: JSON.parse(claims) };
  if (["create", "update"].includes(method)) request.resource = { fields: read(fields) };
  const test = { request };
  const document = segments.length % 2 === 0 && method !== "create" ? await documentOf(name) : null;
  if (document) test.resource = { fields: document.fields ?? {} };
  return test;
}

/** The same for a file of a bucket. */
async function fileCaseOf({ bucket, method, path, uid, claims, fields }) {
  const name = path.replace(/^\//, "");
  const request = { method, path: `/b/${bucket}/o/${name}` };
  if (uid) request.auth = { uid, token: JSON.parse(claims) };
  if (["create", "update"].includes(method)) request.resource = { name, bucket, ...JSON.parse(fields) };
  const file = method === "list" ? null : await get(bucket, name).catch((error) => { if (error.status === 404) return null; throw error; });
  return file ? { request, resource: resourceOf(file) } : { request };
}

/** A file as rules see it. */
function resourceOf(file) {
  const { name, bucket, contentType = "", md5Hash = "", metadata = {} } = file;
  return { name, bucket, contentType, md5Hash, metadata, size: Number(file.size), generation: Number(file.generation), metageneration: Number(file.metageneration) };
}

async function documentOf(name) {
  try {
    return await call("GET", resource(name));
  } catch (error) {
    if (error instanceof CallError && error.code === "NOT_FOUND") return null;
    throw error;
  }
}

/** Whether the rules allow a request. */
export const verdictOf = (isAllowed) => h("span.verdict", { class: isAllowed ? "allowed" : "denied" }, icon(isAllowed ? "check" : "close"), " ", t(isAllowed ? "playground.allowed" : "playground.denied"));

function verdict({ isAllowed, result, issues }) {
  if (!result) {
    return [h("p.verdict.denied", icon("warning"), " ", t("playground.noCompile")), h("ul", issues.map((issue) => h("li", issue.description)))];
  }
  return [
    h("p", verdictOf(isAllowed)),
    (result.debugMessages ?? []).length > 0 ? h("pre", { lang: "en" }, result.debugMessages.join("\n")) : null,
  ];
}
