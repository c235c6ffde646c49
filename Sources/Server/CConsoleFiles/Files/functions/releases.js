import { ago, copyable, stateBadge } from "../base/teaching.js";
import { boxed, h, inline, link, loading, note, place, spread, stack, t } from "../base/ui.js";
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
    h("dl.facts", h("dt", t("releases.source")), h("dd.mono", { title: digest }, shortOf(digest)), h("dt", t("releases.time")), h("dd", ago(time)),
      h("dt", t("releases.functions")), h("dd", inline(functions.map((name) => h("a", { href: link("functions", ["list", name]) }, name))))),
    note(t("releases.next")), copyable(`brasa functions deploy functions --codebase ${codebase} --project ${project}`));
}
