import { decision, dialog, field, h, submit, t, toast } from "../base/ui.js";
import { diffLines } from "../rules/diff.js";
import { textOfTemplate } from "./model.js";
import { publish } from "./store.js";

/** The lines in which two templates differ. */
export function differences(before, after) {
  const lines = diffLines(textOfTemplate(before), textOfTemplate(after)).filter((line) => line.kind !== "same");
  return h("pre.diff", { tabindex: 0, "aria-label": t("rules.differences") }, lines.map(({ kind, text }) => h("div", { class: kind }, `${kind === "added" ? "+" : "−"} ${text}`)));
}

/** Publishes a template in place of the version of an etag, once somebody has looked at what differs; whether it was. */
export async function publishReviewed(project, { base, draft, etag }) {
  const note = h("input", { type: "text", maxlength: 256, autocomplete: "off" });
  const isWanted = await dialog(t("config.publish"), (close) => [
    differences(base, draft), field("config.note", note),
    decision(close, submit(t("config.publish"), { onclick: () => close(true) })),
  ], "wide");
  if (!isWanted) return false;
  await publish(project, draft, etag, note.value);
  toast(t("config.published"));
  return true;
}
