/** The codes in what the server says of a refusal. Pure. */

const CODE = /^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:\s*:\s*(.*))?$/s;
const VALIDATION = /^\[VALIDATION_ERROR\]:\s*(?:\[([A-Z_]+)\]:\s*)?(.*)$/s;

/**
 * What a server's words of a refusal are about: `CODE`, `CODE : detail` or `[VALIDATION_ERROR]: [CODE]: detail`. The code
 * is null where there is none.
 */
export function reasonIn(message) {
  const [, code, detail] = VALIDATION.exec(message) ?? CODE.exec(message) ?? [null, null, message];
  return { code: code ?? null, detail: detail ?? "" };
}

/** Sentences by code in one text: `texts` gives the one of a key and a detail, undefined where there is none. */
export function sentenceOf({ code: status, message = "" }, texts) {
  const { code, detail } = reasonIn(message);
  const own = code && texts(`reason.${code}`, detail);
  if (own) return own;
  const general = texts(`error.${status}`);
  if (!general) return message;
  const rest = detail || (code ? `(${code})` : "");
  return rest ? `${general} ${rest}` : general;
}
