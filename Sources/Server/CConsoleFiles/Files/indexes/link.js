/**
 * The index that an error's link names. Pure.
 *
 * The parameter is base64url of a `google.firestore.admin.v1.Index`: name 1, query scope 2, fields 3 {path 1,
 * order 2, array config 3}.
 */

/** Reads a `create_composite` or `create_exemption` parameter: `{collection, database, scope, fields}`; null for what is none. */
export function readIndex(parameter) {
  try {
    return index(bytesOf(parameter));
  } catch {
    return null;
  }
}

function bytesOf(parameter) {
  const text = atob(parameter.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

function index(bytes) {
  const found = { name: "", scope: "COLLECTION", fields: [] };
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) found.name = textOf(value);
    if (number === 2) found.scope = value === 2 ? "COLLECTION_GROUP" : "COLLECTION";
    if (number === 3) found.fields.push(field(value));
  }
  const [, project, , database, , collection] = found.name.split("/");
  if (!project || !database || !collection || found.fields.length === 0) return null;
  return { project, database, collection, scope: found.scope, fields: found.fields };
}

function field(bytes) {
  const found = {};
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) found.fieldPath = textOf(value);
    if (number === 2) found.order = value === 2 ? "DESCENDING" : "ASCENDING";
    if (number === 3) found.arrayConfig = "CONTAINS";
  }
  return found;
}

const textOf = (bytes) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

function* fieldsOf(bytes) {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      if (at >= bytes.length || shift > 28) throw new Error("malformed");
      const byte = bytes[at];
      at += 1;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = number();
    if ((tag & 7) === 0) yield { number: tag >> 3, value: number() };
    else if ((tag & 7) === 2) {
      const end = number() + at;
      if (end > bytes.length) throw new Error("malformed");
      yield { number: tag >> 3, value: bytes.slice(at, end) };
      at = end;
    } else throw new Error("malformed");
  }
}
