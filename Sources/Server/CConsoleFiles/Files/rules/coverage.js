import { call, closing, dialog, h, loading, note, number, projectPath, t } from "../base/ui.js";
import { countsOf } from "./recent.js";

/** How often each line of the rules in force was asked, which development counts. */

/** Shows the rules in force with their counts. */
export function coverageDialog(project) {
  const found = call("GET", `/emulator${projectPath(project)}:ruleCoverage`);
  return dialog(t("coverage"), (close) => [
    note(t("coverage.text")), loading(found, draw), closing(close)], "wide");
}

function draw({ rules, report = [] }) {
  const counts = countsOf(report);
  const lines = rules.files.map((file) => file.content).join("\n").split("\n");
  const gaps = [...counts.values()].filter((count) => count === 0).length;
  return [h("p", { role: "status" }, t("coverage.count", counts.size - gaps, counts.size)),
    h("div.diff.coverage", { tabindex: "0", role: "region", label: t("coverage") }, lines.map((text, index) => {
      const count = counts.get(index + 1);
      return h("div", { class: count === 0 ? "removed" : count > 0 ? "added" : "same" }, h("span.count", count === undefined ? "" : number(count)), text || " ");
    }))];
}
