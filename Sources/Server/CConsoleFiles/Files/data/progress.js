import { csv } from "../base/csv.js";
import { actions, button, complain, h, keepFile, note, show, t, toast } from "../base/ui.js";
import { undoLast } from "./undo.js";

/** Long work on many documents: watched, ended half-way, told. */

/**
 * Shows how far work is, in the place of a dialog's form, with the button that ends it half-way. The dialog is closed with
 * what `work` gives, null where it failed; `count` is null where nobody knows it, and `say` may put into words what is done.
 */
export async function withProgress(form, title, count, text, close, work, say = () => null) {
  const stop = new AbortController();
  const bar = h("progress", { max: count, label: title });
  const said = h("span", { role: "status" });
  const cancel = button(t("cancel"), () => stop.abort());
  show(form, bar, said, note(text), actions(cancel));
  cancel.focus();
  form.closest("dialog").addEventListener("close", () => stop.abort());
  const progress = (done) => {
    if (count !== null) bar.value = done;
    show(said, say(done));
  };
  try {
    close(await work({ signal: stop.signal, progress }));
  } catch (error) {
    complain(error);
    close(null);
  }
}

/** Says what came of it, with the way to undo it; what could not be done is in a file that the browser keeps. */
export function tellOutcome(text, changed, failed, failedKey = "bulk.failed") {
  if (failed.length > 0) keepFile("failed.csv", csv([["id", "error"], ...failed]));
  toast(failed.length > 0 ? `${text} ${t(failedKey, failed.length)}` : text, changed > 0 ? { label: t("undo"), run: undoLast } : undefined);
}
