import { call, explain, field, go, h, inline, input, instant, problemLine, projectPath, show, submit, t } from "../base/ui.js";
import { initialRules, TEST_DAYS } from "../rules/release.js";
import { publish } from "../rules/store.js";
import { databases, loadDatabases, pageVersion } from "../shell/store.js";

/** Makes a database as people know it from Firebase: an id, then production or test mode. */
export function createDatabasePage(project) {
  const isFirst = !databases.peek().includes("(default)");
  const id = input(isFirst ? "(default)" : "", { required: true, "aria-describedby": "database-id-note" });
  const problem = problemLine();
  const preview = h("pre.panel", { label: t("database.rules") });
  const now = new Date();
  let mode = "production";
  const choose = (chosen) => {
    mode = chosen;
    show(preview, initialRules(mode, now));
  };
  const option = (value) => h("label.choice",
    h("input", { type: "radio", name: "mode", value, checked: value === mode, onchange: () => choose(value) }),
    h("span", h("strong", t(`database.${value}`)), h("br"), t(`database.${value}Text`, instant(now.getTime() + TEST_DAYS * 86_400_000))));
  const make = async () => {
    try {
      await create(project, id.value.trim(), initialRules(mode, now));
      await loadDatabases(project);
      go({ project, area: "firestore", rest: [id.value.trim(), "data"] });
      pageVersion.value = pageVersion.peek() + 1;
    } catch (error) {
      show(problem, explain(error));
    }
  };
  choose(mode);
  return h("div.body", h("h1", t("database.create")),
    h("form.stack", { onsubmit: make },
      field("database.id", id), h("p.note", { id: "database-id-note" }, t("database.idText")),
      h("fieldset.stack", h("legend.hidden", t("database.mode")), option("production"), option("test")),
      preview, problem,
      inline(submit(t("database.create"), { writes: true }))));
}

async function create(project, id, rules) {
  // The rules first: a database without them would be open in development for a moment.
  await publish(project, { database: id }, rules);
  await call("POST", `${projectPath(project, "databases")}?databaseId=${encodeURIComponent(id)}`, {
    type: "FIRESTORE_NATIVE", locationId: "eur3",
  });
}
