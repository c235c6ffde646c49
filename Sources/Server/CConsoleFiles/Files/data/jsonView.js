import { h, t } from "../base/ui.js";
import { pathOf } from "./documents.js";
import { write } from "./jsonText.js";

/** Documents as one JSON object, by their paths. */

/** How many characters are shown; what is more is better looked at one by one, or in a file. */
const MOST = 500_000;

/** The text of documents by their paths, of as many as `most` characters have room for, one at least, with their count. Pure. */
export function documentsText(documents, most = Infinity) {
  const texts = [];
  let length = 0;
  for (const { name, fields = {} } of documents) {
    const text = `${JSON.stringify(pathOf(name).join("/"))}: ${write(fields)}`;
    length += text.length;
    if (length > most && texts.length > 0) break;
    texts.push(text);
  }
  return { text: `{\n${texts.join(",\n")}\n}`, count: texts.length };
}

/** The documents of a query as text, in the place of a grid; `count` says how many of them it shows. */
export function jsonView(label, read) {
  const element = h("pre.json", { tabindex: "0", role: "region", label: t("json.of", label) });
  const draw = () => {
    const { text, count } = documentsText(read(), MOST);
    view.count = count;
    if (element.textContent !== text) element.textContent = text;
  };
  const view = { element, draw, count: 0, clearSelection: () => {} };
  return view;
}
