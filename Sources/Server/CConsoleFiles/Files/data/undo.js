import { explain, t, toast } from "../base/ui.js";
import { isConflict, undo } from "./writes.js";

/** Takes the last edit back and says so. */
export async function undoLast() {
  try {
    const done = await undo();
    if (!done) return;
    dispatchEvent(new Event("brasa-collections"));
    toast(done.failed ? t("undo.some", done.failed) : t("undone"));
  } catch (error) {
    toast(isConflict(error) ? t("undo.conflict") : explain(error));
  }
}
