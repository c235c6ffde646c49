import { isReadOnly } from "../base/access.js";
import { keep, kept } from "../base/memory.js";
import { button, call, effect, h, icon, inScope, link, muted, path, place, session, show, spread, stack, t, toast } from "../base/ui.js";
import { databases, firstDatabase } from "../shell/store.js";
import { snippetsOf } from "./snippets.js";

/** What this project is, and how apps reach it. */
export function page() {
  return h("div", { class: "body" }, h("h1", {}, place.peek().project), firstSteps(), mode(), databaseList(), connect());
}

/**
 * What somebody new does first, in this order: the address of each step, the service that it needs, and whether it is done.
 *
 * A database comes with rules, so those are done once they were published again.
 */
const STEPS = [
  { key: "database", to: ["firestore", ["-", "create"]], isDone: async () => databases.peek().length > 0 },
  // In development a database is made by who asks for it.
  { key: "document", to: ["firestore"], isDone: async (root) => databases.peek().length > 0 && (await call("POST", `${root}${path("databases", firstDatabase(), "documents")}:listCollectionIds`, { pageSize: 1 })).collectionIds?.length > 0 },
  { key: "rules", to: ["rules"], service: "rules", isDone: async (root) => (await call("GET", `${root}/rulesets?pageSize=2`)).rulesets?.length > 1 },
  { key: "user", to: ["users"], service: "accounts", isDone: async (root) => (await call("GET", `${root}/accounts:batchGet?maxResults=1`)).users?.length > 0 },
  { key: "file", to: ["files"], service: "storage", isDone: async (_, project) => (await call("GET", `${path("storage", "v1", "b", `${project}.appspot.com`, "o")}?maxResults=1`)).items?.length > 0 },
];

/** The first steps in a project with the next one marked, until all are done or nobody wants to see them. */
function firstSteps() {
  const setting = `steps.${place.peek().project}`;
  if (kept(setting) || isReadOnly()) return null;
  const holder = h("section", { class: "panel stack", hidden: true });
  const hide = () => {
    keep(setting, "hidden");
    holder.remove();
  };
  const steps = STEPS.filter((step) => !step.service || session.peek().services.includes(step.service));
  const draw = inScope((doneCount) => {
    if (doneCount === steps.length) return hide();
    holder.hidden = false;
    return show(holder, spread(h("h2", {}, t("overview.steps")), button(t("overview.hideSteps"), hide, { class: "quiet" })), h("ol", { class: "stack tight" }, steps.map(({ key, to }, index) =>
      h("li", { class: "row", "aria-current": index === doneCount ? "step" : null }, icon(index < doneCount ? "check" : "chevron"), h("a", { href: link(...to), class: index === doneCount ? "button" : null }, t(`step.${key}`)),
        index < doneCount ? h("span", { class: "note" }, t("step.done")) : null))));
  });
  countDone(steps).then(draw);
  return holder;
}

/** How many steps are done before the first that is not; those behind it are not asked for. */
async function countDone(steps) {
  const { project } = place.peek();
  const root = path("v1", "projects", project);
  for (const [index, step] of steps.entries()) {
    // What cannot be asked is not there yet, such as a database or a bucket.
    if (!(await step.isDone(root, project).catch(() => false))) return index;
  }
  return steps.length;
}

function mode() {
  const { mode, version } = session.peek();
  const text = mode === "development" ? t("development.explained") : t("production.explained");
  return h("section", { class: "panel stack" }, h("h2", {}, t("overview.server")), h("p", {}, text), muted(`Brasa ${version} · ${location.origin}`));
}

function databaseList() {
  const holder = h("section", { class: "panel stack" });
  effect(() => {
    const rows = databases.value.map((id) => h("li", {}, h("a", { href: link("firestore", [id, "data"]) }, id)));
    show(holder, h("h2", {}, t("overview.databases")),
      rows.length > 0 ? h("ul", { class: "stack" }, rows) : h("p", {}, t("overview.noDatabase")),
      h("p", {}, h("a", { class: "button", href: link("firestore", ["-", "create"]) }, t("database.create"))));
  });
  return holder;
}

function connect() {
  const { mode } = session.peek();
  const parts = Object.entries(snippetsOf(mode, place.peek().project, location)).map(([name, text]) =>
    stack(spread(h("h3", {}, name), button(t("copy.of", name), () => navigator.clipboard.writeText(text).then(() => toast(t("copied"))))), h("pre", {}, text)));
  const keys = mode === "development" ? null : h("p", {}, t("overview.connectText"), " ", h("a", { href: link("settings", ["apps"]) }, t("overview.keys")));
  return h("section", { class: "panel stack" }, h("h2", {}, t("overview.connect")), keys, parts);
}
