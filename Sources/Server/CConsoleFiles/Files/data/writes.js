import { call, CallError, resource, signal } from "../base/ui.js";
import { pathOf } from "./documents.js";

/** Writing documents, and undoing that. */

/** An id as clients make them: twenty letters and digits by chance. */
export function freshDocumentID() {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  let id = "";
  while (id.length < 20) {
    for (const byte of crypto.getRandomValues(new Uint8Array(32))) {
      if (byte < 248 && id.length < 20) id += letters[byte % 62];
    }
  }
  return id;
}

async function commit(name, write) {
  const database = name.split("/").slice(0, 4).join("/");
  return call("POST", `${resource(`${database}/documents`)}:commit`, { writes: [write] });
}

const MOST_UNDONE = 50;
const undoStack = [];

/** How many edits can be taken back. */
export const undoCount = signal(0);

function remember(edit) {
  undoStack.push(edit);
  if (undoStack.length > MOST_UNDONE) undoStack.shift();
  undoCount.value = undoStack.length;
}

/** Makes a document that must not be there yet. */
export async function createDocument(name, fields) {
  const { writeResults } = await commit(name, { update: { name, fields }, currentDocument: { exists: false } });
  remember({ name, before: null, after: writeResults[0].updateTime });
}

/** Replaces a document if it is still as it was read; gives what it is then. */
export async function saveDocument(document, fields) {
  const { name, updateTime } = document;
  const { writeResults } = await commit(name, { update: { name, fields }, currentDocument: { updateTime } });
  const saved = { ...document, fields, updateTime: writeResults[0].updateTime ?? updateTime };
  remember({ name, before: document.fields ?? {}, after: saved.updateTime });
  return saved;
}

/** Deletes a document if it is still as it was read. */
export async function deleteDocument(document) {
  const { name, updateTime } = document;
  await commit(name, { delete: name, currentDocument: { updateTime } });
  remember({ name, before: document.fields ?? {}, after: null });
}

/**
 * Deletes documents, each if it is still as it was read; gives how many were not.
 *
 * Not all or nothing: what somebody else changed meanwhile stays.
 */
export async function deleteDocuments(documents) {
  const writes = documents.map(({ name, updateTime }) => ({ delete: name, currentDocument: { updateTime } }));
  const isDone = await writeMany(writes);
  const edits = documents.filter((_, index) => isDone[index]).map(({ name, fields }) => ({ name, before: fields ?? {}, after: null }));
  if (edits.length > 0) remember({ edits });
  return documents.length - edits.length;
}

const BATCH = 500;

/** Writes one by one, in batches; whether each was done. */
async function writeMany(writes) {
  const isDone = [];
  for (let start = 0; start < writes.length; start += BATCH) {
    const part = writes.slice(start, start + BATCH);
    const [first] = part;
    const database = (first.delete ?? first.update.name).split("/").slice(0, 4).join("/");
    const { status } = await call("POST", `${resource(`${database}/documents`)}:batchWrite`, { writes: part });
    isDone.push(...status.map(({ code = 0 }) => code === 0));
  }
  return isDone;
}

/**
 * Makes documents that must not be there yet; gives how many it made, and the others as `[id, why]`. One undo takes them back.
 * What was done when `signal` ends it stays done.
 */
export async function importDocuments(documents, { signal: end, progress } = {}) {
  const [edits, failed] = [[], []];
  for (let start = 0; start < documents.length && !end?.aborted; start += BATCH) {
    progress?.(start);
    const part = documents.slice(start, start + BATCH);
    const writes = part.map((document) => ({ update: document, currentDocument: { exists: false } }));
    const { status, writeResults } = await call("POST", `${resource(databaseOf(part[0].name))}:batchWrite`, { writes });
    part.forEach(({ name }, index) => {
      const { code = 0, message = "" } = status[index];
      if (code === 0) edits.push({ name, before: null, after: writeResults[index].updateTime });
      else failed.push([pathOf(name).at(-1), message]);
    });
  }
  if (edits.length > 0) remember({ edits });
  return { written: edits.length, failed };
}

const databaseOf = (name) => `${name.split("/").slice(0, 4).join("/")}/documents`;

/**
 * Changes the documents of pages, each if it is still as it was read: `change` gives a document's new fields, null to
 * delete it, undefined to leave it. Gives how many it changed, and the others as `[id, why]`.
 *
 * One undo brings back, out of history, what is still as this left it. What was done when `signal` ends it stays done.
 */
export async function changeDocuments(pages, change, { signal: end, progress }) {
  const [edits, failed] = [[], []];
  let seen = 0;
  let instant = null;
  for await (const { documents, readTime } of pages) {
    if (end.aborted) break;
    instant = readTime;
    const writes = documents.map((document) => writeOf(document, change(document))).filter(Boolean);
    const { status = [], writeResults = [] } = writes.length > 0 ? await call("POST", `${resource(databaseOf(nameOfWrite(writes[0])))}:batchWrite`, { writes }) : {};
    writes.forEach((write, index) => {
      const { code = 0, message = "" } = status[index];
      if (code === 0) edits.push({ name: nameOfWrite(write), after: write.delete ? null : writeResults[index].updateTime });
      else failed.push([pathOf(nameOfWrite(write)).join("/"), message]);
    });
    seen += documents.length;
    progress(seen);
  }
  if (edits.length > 0) remember({ edits, readTime: instant });
  return { changed: edits.length, failed };
}

const nameOfWrite = (write) => write.delete ?? write.update.name;

function writeOf({ name, updateTime }, fields) {
  if (fields === undefined) return null;
  const currentDocument = { updateTime };
  return fields === null ? { delete: name, currentDocument } : { update: { name, fields }, currentDocument };
}

/** Edits with what was there before them, out of history. */
async function withHistory(edits, readTime) {
  const before = new Map();
  for (let start = 0; start < edits.length; start += BATCH) {
    const part = edits.slice(start, start + BATCH).map(({ name }) => name);
    for (const { found } of await call("POST", `${resource(databaseOf(part[0]))}:batchGet`, { documents: part, readTime })) if (found) before.set(found.name, found.fields ?? {});
  }
  return edits.map((edit) => ({ ...edit, before: before.get(edit.name) ?? null }));
}

/** The write that takes an edit back, if the document is still as the edit left it. */
function reversal({ name, before, after }) {
  const currentDocument = after === null ? { exists: false } : { updateTime: after };
  return before === null ? { delete: name, currentDocument } : { update: { name, fields: before }, currentDocument };
}

/** Takes the last edit back: `{name}` or `{count, failed}` of many; null where there is none. */
export async function undo() {
  const edit = undoStack.pop();
  undoCount.value = undoStack.length;
  if (!edit) return null;
  if (edit.edits) {
    const edits = edit.readTime ? await withHistory(edit.edits, edit.readTime) : edit.edits;
    const isDone = await writeMany(edits.map(reversal));
    return { count: isDone.length, failed: isDone.filter((one) => !one).length };
  }
  await commit(edit.name, reversal(edit));
  return { name: edit.name };
}

/** Whether a write failed because the document is no longer as it was read. */
export function isConflict(error) {
  return error instanceof CallError && ["FAILED_PRECONDITION", "ALREADY_EXISTS", "NOT_FOUND", "ABORTED"].includes(error.code);
}
