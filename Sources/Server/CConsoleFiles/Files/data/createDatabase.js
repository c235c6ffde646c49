import { call, path } from "../base/api.js";
import { explain } from "../base/dialog.js";
import { h, show } from "../base/dom.js";
import { instant, t } from "../base/i18n.js";
import { go } from "../base/navigation.js";
import { databases, loadDatabases, pageVersion } from "../shell/store.js";
import { initialRules, releaseName, TEST_DAYS } from "../rules/release.js";
import { problemLine } from "../base/views.js";

/** Makes a database as people know it from Firebase: an id, then production or test mode. */
export function createDatabasePage(project) {
  const isFirst = !databases.peek().includes("(default)");
  const id = h("input", { type: "text", value: isFirst ? "(default)" : "", required: true, autocomplete: "off", spellcheck: "false", "aria-describedby": "database-id-note" });
  const problem = problemLine();
  const preview = h("pre", { class: "panel", "aria-label": t("database.rules") });
  const now = new Date();
  let mode = "production";
  const choose = (chosen) => {
    mode = chosen;
    show(preview, initialRules(mode, now));
  };
  const option = (value) => h("label", { class: "choice" },
    h("input", { type: "radio", name: "mode", value, checked: value === mode, onchange: () => choose(value) }),
    h("span", {}, h("strong", {}, t(`database.${value}`)), h("br"), t(`database.${value}Text`, instant(now.getTime() + TEST_DAYS * 86_400_000))));
  const submit = async (event) => {
    event.preventDefault();
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
  return h("div", { class: "body" }, h("h1", {}, t("database.create")),
    h("form", { class: "stack", onsubmit: submit },
      h("label", { class: "field" }, t("database.id"), id), h("p", { class: "note", id: "database-id-note" }, t("database.idText")),
      h("fieldset", { class: "stack" }, h("legend", { class: "hidden" }, t("database.mode")), option("production"), option("test")),
      preview, problem,
      h("div", { class: "row" }, h("button", { type: "submit", class: "primary", writes: true }, t("database.create")))));
}

async function create(project, id, rules) {
  // The rules first: a database without them would be open in development for a moment.
  const source = { files: [{ name: "firestore.rules", content: rules }] };
  const ruleset = await call("POST", path("v1", "projects", project, "rulesets"), { source });
  const release = releaseName(id);
  await call("PATCH", `${path("v1", "projects", project, "releases")}/${release}`, {
    release: { name: `projects/${project}/releases/${release}`, rulesetName: ruleset.name },
  });
  await call("POST", `${path("v1", "projects", project, "databases")}?databaseId=${encodeURIComponent(id)}`, {
    type: "FIRESTORE_NATIVE", locationId: "eur3",
  });
}
