import { adder, bin, button, confirm, copyText, explain, group, h, icon, input, note, show, stack, t, toast } from "../base/ui.js";
import { changeTokens, downloadURL, tokensOf } from "./store.js";

/** The download URLs of a file: copied, made, and revoked. `onProblem` shows what went wrong. */
export function downloadLinks(bucket, file, onProblem) {
  const holder = stack();
  const change = async (gone, said) => {
    try {
      Object.assign(file, await changeTokens(bucket, file.name, gone));
      draw();
      toast(t(said));
      return true;
    } catch (error) {
      onProblem(explain(error));
      return false;
    }
  };
  const urls = () => tokensOf(file).tokens.map((token) => ({ token, url: downloadURL(location.origin, bucket, file.name, token) }));
  const revoke = async (token) => {
    if (await confirm(t("files.revoke"), t("files.revokeText"), t("files.revoke"))) await change(token, "files.revoked");
  };
  const draw = () => show(holder, urls().map(({ token, url }) => h("div.row.link-line",
    input(url, { readonly: true, class: "mono grow", label: t("files.url"), onfocus: ({ target }) => target.select() }),
    button([icon("copy"), t("files.copyURL")], () => copy(url)),
    bin(t("files.revoke"), () => revoke(token)))),
  urls().length === 0 ? adder(t("files.makeURL"), async () => { if (await change(null, "files.made")) await copy(urls().at(-1)?.url); }, { writes: true }) : null,
  note(t("files.urlText")));
  draw();
  return group(t("files.url"), holder);
}

/** Copies an address; where the browser gives no clipboard, it can be selected by hand. */
const copy = (text) => copyText(text).catch(() => toast(t("files.copyByHand")));
