import { ago, copyable } from "../base/teaching.js";
import { boxed, facts, h, inline, link, loading, note, place, spread, stack, stateBadge, t } from "../base/ui.js";
import { none, off } from "./list.js";
import { shortOf } from "./model.js";
import { functionsOf, isServed } from "./store.js";

/** The sources in force, one a codebase. */
export function releasesView() {
  if (!isServed()) return off();
  return loading(functionsOf(), ({ releases }) => (releases.length === 0 ? none() : stack(note(t("releases.text")), releases.map(releaseView))));
}

function releaseView({ codebase, digest, time, functions }) {
  const { project } = place.peek();
  return boxed(
    spread(h("h2", codebase), stateBadge("ok", t("releases.current"))),
    facts(["releases.source", h("code", { title: digest }, shortOf(digest))], ["releases.time", ago(time)],
      ["releases.functions", inline(functions.map((name) => h("a", { href: link("functions", ["list", name]) }, name)))]),
    note(t("releases.next")), copyable(`brasa functions deploy functions --codebase ${codebase} --project ${project}`));
}
