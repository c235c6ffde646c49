import { decision, dialog, field, input, submit, t, toast } from "../base/ui.js";
import { diffLines } from "../rules/diff.js";
import { diffView } from "../rules/diffView.js";
import { textOfTemplate } from "./model.js";
import { publish } from "./store.js";

/** The lines in which two templates differ. */
export const differences = (before, after) => diffView(diffLines(textOfTemplate(before), textOfTemplate(after)).filter((line) => line.kind !== "same"));

/** Publishes a template in place of the version of an etag, once somebody has looked at what differs; whether it was. */
export async function publishReviewed(project, { base, draft, etag }) {
  const note = input("", { maxlength: 256 });
  const isWanted = await dialog(t("config.publish"), (close) => [
    differences(base, draft), field("config.note", note),
    decision(close, submit(t("config.publish"), { onclick: () => close(true) })),
  ], "wide");
  if (!isWanted) return false;
  await publish(project, draft, etag, note.value);
  toast(t("config.published"));
  return true;
}
