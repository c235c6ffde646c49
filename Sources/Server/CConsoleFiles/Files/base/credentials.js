import { copyText } from "./dialog.js";
import { h, icon } from "./dom.js";
import { t } from "./i18n.js";
import { button, keepFile } from "./views.js";

/** What signs an administrator in beside password and code: passkeys and recovery codes. */

// Bytes travel as URL-safe Base64.
const toBytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const toText = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Whether there are passkeys here: they belong to a host by its name, and need a browser that keeps them. */
export const hasPasskeys = () => Boolean(globalThis.PublicKeyCredential) && !/^[\d.]+$|^\[/.test(location.hostname);

/** Has the browser sign a challenge with a passkey of its choice; what the server takes as the proof. */
export async function usePasskey({ challenge, host }) {
  const { rawId, response } = await navigator.credentials.get({ publicKey: { challenge: toBytes(challenge), rpId: host, userVerification: "required" } });
  return {
    id: toText(rawId), user: toText(response.userHandle), clientData: toText(response.clientDataJSON),
    authenticatorData: toText(response.authenticatorData), signature: toText(response.signature),
  };
}

/** Has the browser make a passkey; what the server takes of it. */
export async function makePasskey({ challenge, host, user, known }, email) {
  const { response } = await navigator.credentials.create({ publicKey: {
    challenge: toBytes(challenge), rp: { id: host, name: "Brasa" }, user: { id: toBytes(user), name: email, displayName: email },
    pubKeyCredParams: [{ type: "public-key", alg: -7 }], excludeCredentials: known.map((id) => ({ type: "public-key", id: toBytes(id) })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" }, attestation: "none",
  } });
  return { clientData: toText(response.clientDataJSON), attestation: toText(response.attestationObject) };
}

/** Recovery codes, which are shown this once. */
export function codesView(codes) {
  const text = codes.join("\n");
  return [h("p", t("codes.text")), h("ul.codes.mono", { label: t("codes.of") }, codes.map((code) => h("li", code))),
    h("div.row", button([icon("copy"), t("copy.of", t("codes.of"))], () => copyText(text)), button(t("codes.keep"), () => keepFile("brasa-recovery-codes.txt", `${location.host}\n\n${text}\n`)))];
}
