import { call, callForBlob, CallError, path, send, withQuery } from "../base/api.js";
import { read } from "../base/request.js";
import { SNIFFED, typeOf } from "./sniff.js";

/** The files of a project, by Google's JSON API. */

const bucketPath = (bucket) => path("storage", "v1", "b", bucket);
const objectPath = (bucket, name) => `${bucketPath(bucket)}${path("o", name)}`;

/** The names of a project's buckets; where there is none yet, the one that apps use first. */
export async function listBuckets(project) {
  const { items = [] } = await call("GET", withQuery("/storage/v1/b", { project }));
  const names = items.map((one) => one.name);
  return names.length > 0 ? names : [`${project}.appspot.com`];
}

/** A page of what is below a prefix: `{folders, files, next}`. A bucket that nobody has used yet is empty. */
export async function list(bucket, prefix, pageToken) {
  const query = { prefix, delimiter: "/", maxResults: 200, pageToken };
  try {
    const { prefixes = [], items = [], nextPageToken = null } = await call("GET", withQuery(`${bucketPath(bucket)}/o`, query));
    return { folders: prefixes, files: items, next: nextPageToken };
  } catch (error) {
    if (error.status === 404) return { folders: [], files: [], next: null };
    throw error;
  }
}

/** A file's metadata. */
export const get = (bucket, name) => call("GET", objectPath(bucket, name));

/** A file's bytes, as the type that they are. */
export async function download(bucket, name, { signal } = {}) {
  const { blob } = await callForBlob("GET", `${objectPath(bucket, name)}?alt=media`, { signal });
  const first = new Uint8Array(await blob.slice(0, SNIFFED).arrayBuffer());
  return { blob, type: typeOf(first) };
}

/** Changes metadata, as long as nobody else did meanwhile. */
export const update = (bucket, file, changes) => call("PATCH", withQuery(objectPath(bucket, file.name), { ifMetagenerationMatch: file.metageneration }), changes);

/** Deletes the generation of a file that was shown. */
export async function remove(bucket, file) {
  const response = await send("DELETE", withQuery(objectPath(bucket, file.name), { ifGenerationMatch: file.generation }));
  if (!response.ok) await read(response);
}

/** Gives a file another name, which must be free. */
export function rename(bucket, file, name) {
  const target = `${objectPath(bucket, file.name)}/moveTo${path("o", name)}`;
  return call("POST", withQuery(target, { ifGenerationMatch: 0, ifSourceGenerationMatch: file.generation }), {});
}

const TOKENS = "firebaseStorageDownloadTokens";

/** The download tokens in a file's metadata, and the metadata without them. Pure. */
export function tokensOf({ metadata = {} }) {
  const { [TOKENS]: tokens = "", ...rest } = metadata;
  return { tokens: tokens.split(",").filter(Boolean), metadata: rest, withTokens: (others) => (tokens ? { ...others, [TOKENS]: tokens } : others) };
}

/** The address under which whoever has it reads a file, as Firebase's clients make it. Pure. */
export const downloadURL = (origin, bucket, name, token) => `${origin}${path("v0", "b", bucket, "o", name)}?alt=media&token=${encodeURIComponent(token)}`;

/** Makes a download token of a file, or revokes one; the file's metadata as it is then. */
export async function changeTokens(bucket, name, gone = null) {
  await call("POST", `${path("v0", "b", bucket, "o", name)}?${new URLSearchParams(gone ? { delete_token: gone } : { create_token: "true" })}`);
  return get(bucket, name);
}

/** Bytes that go at once; of more a part at a time, so that an upload can go on where it was. */
const CHUNK = 8 << 20;

/** How often a server is asked again in the middle of an upload that makes no way: for about four minutes. */
const ATTEMPTS = 12;

/** What passes: the server was not reached, is busy, or begins or ends; a full disk does not. */
const PASSING = [0, 429, 500, 502, 503, 504];

/**
 * Uploads a file. `generation` is the one that it replaces, "0" for none. `progress` is told the bytes so far.
 *
 * Throws `CallError` with status 412 where there is another generation.
 */
export async function upload(bucket, name, file, { generation = "0", progress, signal }) {
  const type = file.type || typeOf(new Uint8Array(await file.slice(0, SNIFFED).arrayBuffer())) || "application/octet-stream";
  const query = { name, ifGenerationMatch: generation };
  if (file.size <= CHUNK) {
    const address = withQuery(`/upload${bucketPath(bucket)}/o`, { uploadType: "media", ...query });
    return read(await send("POST", address, file, { headers: { "content-type": type }, signal }));
  }
  return uploadInParts(bucket, query, file, type, progress, signal);
}

async function uploadInParts(bucket, query, file, type, progress, signal) {
  const address = withQuery(`/upload${bucketPath(bucket)}/o`, { uploadType: "resumable", ...query });
  const begun = await send("POST", address, "{}", { headers: { "content-type": "application/json", "x-upload-content-type": type }, signal });
  if (!begun.ok) await read(begun);
  const at = new URL(begun.headers.get("location"), location.href);
  const put = (range, bytes) => send("PUT", at.pathname + at.search, bytes, { headers: { "content-range": `bytes ${range}/${file.size}` }, signal });
  // After an answer that did not come the server is asked how far it is.
  for (let start = 0, lost = 0, asks = false; ; ) {
    try {
      const end = Math.min(file.size, start + CHUNK);
      const response = await (asks ? put("*") : put(`${start}-${end - 1}`, file.slice(start, end)));
      if (response.status !== 308) return await read(response);
      const taken = /bytes=0-(\d+)/.exec(response.headers.get("range") ?? "");
      const next = taken ? Number(taken[1]) + 1 : 0;
      if (!asks && next <= start) throw new CallError(response.status, "ABORTED", "The server took nothing.", null);
      if (next > start) lost = 0;
      [start, asks] = [next, false];
      progress(start);
    } catch (error) {
      if (!PASSING.includes(error.status) || lost === ATTEMPTS) throw error;
      lost += 1;
      asks = true;
      await pause(Math.min(500 * 2 ** lost, 30_000), signal);
    }
  }
}

const pause = (milliseconds, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, milliseconds);
  signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
});

/** A name beside one that is taken: `photo (2).jpg`. Pure. */
export function nameBeside(name, number) {
  const slash = name.lastIndexOf("/") + 1;
  const dot = name.lastIndexOf(".");
  const end = dot > slash ? dot : name.length;
  return `${name.slice(0, end)} (${number})${name.slice(end)}`;
}

/** What differs between a file's metadata and what was typed, as the API takes it. Pure. */
export function changesOf(file, typed) {
  const changes = {};
  for (const name of ["contentType", "cacheControl", "contentDisposition"]) {
    if (typed[name] !== (file[name] ?? "")) changes[name] = typed[name] || null;
  }
  const old = file.metadata ?? {};
  const names = [...new Set([...Object.keys(old), ...Object.keys(typed.metadata)])].filter((name) => old[name] !== typed.metadata[name]);
  // Entries, so that every name is one of data.
  const metadata = Object.fromEntries(names.map((name) => [name, Object.hasOwn(typed.metadata, name) ? typed.metadata[name] : null]));
  if (Object.keys(metadata).length > 0) changes.metadata = metadata;
  return changes;
}
