import { call, CallError, resource } from "../base/ui.js";
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

const commit = async (name, write) => call("POST", resource(databaseOf(name), "commit"), { writes: [write] });

const MOST_UNDONE = 50;
const undoStack = [];

function remember(edit) {
  undoStack.push(edit);
  if (undoStack.length > MOST_UNDONE) undoStack.shift();
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
  const done = await writeMany(documents.map((document) => writeOf(document, null)));
  const edits = documents.filter((_, index) => done[index].isDone).map(({ name, fields }) => ({ name, before: fields ?? {}, after: null }));
  if (edits.length > 0) remember({ edits });
  return documents.length - edits.length;
}

const BATCH = 500;

/** Writes one by one, in batches, as long as `goesOn` says so: for each `{isDone, message, updateTime}`. */
async function writeMany(writes, goesOn = () => true) {
  const done = [];
  for (let start = 0; start < writes.length && goesOn(start); start += BATCH) {
    const part = writes.slice(start, start + BATCH);
    const { status, writeResults = [] } = await call("POST", resource(databaseOf(nameOfWrite(part[0])), "batchWrite"), { writes: part });
    done.push(...status.map(({ code = 0, message = "" }, index) => ({ isDone: code === 0, message, updateTime: writeResults[index]?.updateTime })));
  }
  return done;
}

/**
 * Makes documents that must not be there yet; gives how many it made, and the others as `[id, why]`. One undo takes them back.
 * What was done when `signal` ends it stays done.
 */
export async function importDocuments(documents, { signal: end, progress } = {}) {
  const [edits, failed] = [[], []];
  const done = await writeMany(documents.map((update) => ({ update, currentDocument: { exists: false } })), (start) => { progress?.(start); return !end?.aborted; });
  done.forEach(({ isDone, message, updateTime }, index) => {
    const { name } = documents[index];
    if (isDone) edits.push({ name, before: null, after: updateTime });
    else failed.push([pathOf(name).at(-1), message]);
  });
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
    (await writeMany(writes)).forEach(({ isDone, message, updateTime }, index) => {
      const name = nameOfWrite(writes[index]);
      if (isDone) edits.push({ name, after: writes[index].delete ? null : updateTime });
      else failed.push([pathOf(name).join("/"), message]);
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
    for (const { found } of await call("POST", resource(databaseOf(part[0]), "batchGet"), { documents: part, readTime })) if (found) before.set(found.name, found.fields ?? {});
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
  if (!edit) return null;
  if (edit.edits) {
    const edits = edit.readTime ? await withHistory(edit.edits, edit.readTime) : edit.edits;
    const done = await writeMany(edits.map(reversal));
    return { count: done.length, failed: done.filter((one) => !one.isDone).length };
  }
  await commit(edit.name, reversal(edit));
  return { name: edit.name };
}

/** Whether a write failed because the document is no longer as it was read. */
export const isConflict = (error) => error instanceof CallError && ["FAILED_PRECONDITION", "ALREADY_EXISTS", "NOT_FOUND", "ABORTED"].includes(error.code);
