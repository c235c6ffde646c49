import { call, closing, consolePath, dialog, h, loading, note, t, table } from "../base/ui.js";
import { caseOf, verdictOf } from "./playground.js";
import { replayable } from "./recent.js";
import { tryRequests } from "./store.js";

/** What was denied lately, tried again on the rules as they are written: whom they would let in. */

/** Shows what the source says to what was denied lately. */
export const replayDialog = (project, target, source) => dialog(t("replay"), (close) => [
  note(t("replay.text")), loading(replay(project, target, source), draw),
  closing(close),
], "wide");

async function replay(project, target, source) {
  const { denials } = await call("GET", `${consolePath(project, "denials")}?after=0`);
  const requests = replayable(denials, { project, ...target });
  const cases = await Promise.all(requests.map((one) => caseOf({ project, ...target, ...one, claims: "{}", fields: "{}" })));
  const { issues, verdicts } = await tryRequests(project, source, cases);
  return { issues, rows: requests.map((one, index) => ({ ...one, isAllowed: verdicts[index] })) };
}

function draw({ issues, rows }) {
  if (issues.length > 0) return h("ul", issues.map((issue) => h("li.error", issue.description)));
  if (rows.length === 0) return h("p", t("replay.none"));
  const allowed = rows.filter((one) => one.isAllowed);
  return [h("p", { role: "status" }, t("replay.count", allowed.length, rows.length)),
    table(["playground.method", "path", "users.uid", "replay.verdict"], [...allowed, ...rows.filter((one) => !one.isAllowed)].map(({ method, path: of, uid, isAllowed }) => [
      method, h("code", of), h("code", uid || "–"), verdictOf(isAllowed)]))];
}
