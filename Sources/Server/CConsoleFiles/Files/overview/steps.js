import { isReadOnly } from "../base/access.js";
import { keep, kept } from "../base/memory.js";
import { button, call, h, icon, inScope, link, path, place, session, show, spread, t } from "../base/ui.js";
import { databases, firstDatabase } from "../shell/store.js";

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
export function firstSteps() {
  const { project } = place.peek();
  const setting = `steps.${project}`;
  if (kept(setting) || isReadOnly()) return null;
  const holder = h("section", { class: "panel stack", hidden: true });
  const hide = () => {
    keep(setting, "hidden");
    holder.remove();
  };
  const steps = STEPS.filter((step) => !step.service || session.peek().services.includes(step.service));
  const draw = inScope((isDone) => {
    const next = isDone.indexOf(false);
    if (next < 0) return hide();
    holder.hidden = false;
    return show(holder, spread(h("h2", {}, t("overview.steps")), button(t("overview.hideSteps"), hide, { class: "quiet" })), h("ol", { class: "stack tight" }, steps.map(({ key, to }, index) =>
      h("li", { class: "row", "aria-current": index === next ? "step" : null }, icon(isDone[index] ? "check" : "chevron"), h("a", { href: link(...to), class: index === next ? "button" : null }, t(`step.${key}`)),
        isDone[index] ? h("span", { class: "note" }, t("step.done")) : null))));
  });
  const root = path("v1", "projects", project);
  // What cannot be asked is not there yet, such as a database or a bucket.
  Promise.all(steps.map((step) => step.isDone(root, project).then(Boolean, () => false))).then(draw);
  return holder;
}
