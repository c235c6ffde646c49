import { isReadOnly } from "../base/access.js";
import { button, call, CallError, complain, dialog, explain, h, inline, instant, resource, show, spread, submit, t, withQuery } from "../base/ui.js";
import { diffLines } from "../rules/diff.js";
import { diffView } from "../rules/diffView.js";
import { saveDocument } from "./writes.js";
import { justBefore } from "./instants.js";
import { write } from "./jsonText.js";

/** Earlier states of a document: each is what was there just before the one after it, so none is left out. */

/** The state before another one; null where the document was not there, or history does not reach. */
async function stateBefore(name, document) {
  try {
    return await call("GET", withQuery(resource(name), { readTime: justBefore(document.updateTime) }));
  } catch (error) {
    if (error instanceof CallError && ["NOT_FOUND", "FAILED_PRECONDITION", "INVALID_ARGUMENT"].includes(error.code)) return null;
    throw error;
  }
}

/** Shows the earlier states of a document one by one, each beside the present one, and restores one. */
export async function showHistory(name, current, { onRestored }) {
  const states = [current];
  const fields = await dialog(t("history.title"), (close) => historyView(name, current, states, close), "wide");
  if (!fields) return;
  try {
    await saveDocument(current, fields);
    onRestored();
  } catch (error) {
    complain(error);
  }
}

function historyView(name, current, states, close) {
  let at = 0;
  let isEnd = false;
  const said = h("p", { role: "status" });
  const lines = h("div");
  const earlier = button(t("history.earlier"), () => step(1));
  const later = button(t("history.later"), () => step(-1));
  const restore = submit(t("history.restore"), { onclick: () => close(states[at].fields ?? {}) });
  const draw = () => {
    const chosen = states[at];
    show(lines, diffView(diffLines(write(current.fields ?? {}), write(chosen.fields ?? {})), t("history.differences")));
    show(said, at === 0 ? t("history.current", instant(chosen.updateTime)) : t("history.of", instant(chosen.updateTime)), isEnd && at === states.length - 1 ? ` ${t("history.end")}` : null);
    earlier.disabled = isEnd && at === states.length - 1;
    later.disabled = at === 0;
    restore.disabled = at === 0 || isReadOnly();
  };
  const step = async (by) => {
    earlier.disabled = true;
    try {
      if (at + by === states.length) {
        const found = await stateBefore(name, states[at]);
        if (found) states.push(found);
        else isEnd = true;
      }
      if (at + by < states.length) at += by;
      draw();
    } catch (error) {
      show(said, explain(error));
    }
  };
  draw();
  return [said, lines, spread(inline(earlier, later), inline(button(t("close"), () => close(null)), restore))];
}
