import { mayChange } from "../base/access.js";
import { button, effect, h, icon, inline, inScope, loading, note, place, quiet, session, show, spread, stack, t, untracked } from "../base/ui.js";
import { loadStyles, projectNames } from "../shell/store.js";

/** The overview: figures, what needs somebody, the first steps, and how apps reach the project. */
export function page() {
  const { project } = place.peek();
  const name = h("h1", { dir: "auto" });
  effect(() => show(name, projectNames.value[project] ?? project));
  const dialogs = async () => (await Promise.all([import("./projects.js"), loadStyles()]))[0];
  const settings = mayChange() ? quiet([icon("settings"), t("project.settings")], async () => (await dialogs()).projectSettings(project), { writes: true }) : null;
  effect(() => { if (place.value.area === "overview" && place.value.query.new === "project") untracked(dialogs).then(({ newProject }) => newProject()); });
  const connect = button([icon("plus"), t("overview.connect")], async () => (await Promise.all([import("./connect.js"), loadStyles()]))[0].connectDialog(project), { class: "primary", data: { connect: "" } });
  const head = spread(stack(name, note(h("code", project), ` · Brasa ${session.peek().version} · ${location.origin}`)), inline(settings, connect));
  return h("div.body", head, loading(import("./cockpit.js"), inScope(({ cockpit }) => cockpit(project, () => connect.click()))));
}
