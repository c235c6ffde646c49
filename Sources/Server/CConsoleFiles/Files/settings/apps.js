import { call, path, session } from "../base/api.js";
import { confirm, dialog, explain, toast } from "../base/dialog.js";
import { h, icon, iconButton, show } from "../base/dom.js";
import { instant, t } from "../base/i18n.js";
import { place } from "../base/navigation.js";

/** The apps of a project with their configuration files, and the keys of back ends. */

const PLATFORMS = ["ios", "android", "web", "linux"];
const FORMS = { plist: "GoogleService-Info.plist", json: "firebase-config.json", "google-services": "google-services.json" };

export function appsView() {
  const { project } = place.peek();
  const root = path("console", "api", "projects", project, "apps");
  const rows = h("div", { class: "scroll" });
  const load = () => call("GET", root).then(({ apps }) => show(rows, appTable(root, apps, load)), (error) => show(rows, h("p", { class: "error", role: "alert" }, explain(error))));
  const add = async () => (await dialog(t("apps.add"), (close) => appForm(root, close))) && load();
  load();
  return h("div", { class: "stack" },
    h("section", { class: "stack" }, h("div", { class: "spread" }, h("h2", {}, t("settings.apps")), h("button", { type: "button", class: "primary", onclick: add }, icon("plus"), t("apps.add"))),
      h("p", { class: "note" }, t("apps.key", project)), rows),
    session.peek().role === "owner" ? keysView(project) : null);
}

function appTable(root, apps, reload) {
  if (apps.length === 0) return h("p", {}, t("apps.none"));
  const destroy = async (app) => {
    if (!(await confirm(t("apps.remove", nameOf(app)), t("apps.removeText"), t("apps.remove", nameOf(app))))) return;
    await call("DELETE", root + path(app.id)).catch((error) => toast(explain(error)));
    reload();
  };
  return h("table", { class: "table" },
    h("thead", {}, h("tr", {}, ["apps.name", "apps.platform", "apps.id", "users.created"].map((key) => h("th", { scope: "col" }, t(key))), h("td", {}))),
    h("tbody", {}, apps.map((app) => h("tr", {},
      h("td", { dir: "auto" }, nameOf(app), app.displayName && app.bundleId ? h("div", { class: "note" }, app.bundleId) : null), h("td", {}, t(`apps.${app.platform}`)), h("td", { class: "mono" }, app.id), h("td", {}, instant(app.createdAt)),
      h("td", {}, h("div", { class: "row" }, Object.entries(FORMS).filter(([form]) => fits(app.platform, form)).map(([form, name]) =>
        h("button", { type: "button", onclick: () => download(`${root}${path(app.id, "file")}?form=${form}`) }, name)), iconButton("trash", t("apps.remove", nameOf(app)), () => destroy(app))))))));
}

const nameOf = (app) => app.displayName || app.bundleId || app.id;
const fits = (platform, form) => form === "json" || (form === "plist" ? platform === "ios" : platform === "android");

/** Has the browser keep a file that the server makes. */
async function download(address) {
  try {
    keepText(await call("GET", address));
  } catch (error) {
    toast(explain(error));
  }
}

function keepText({ name, text }) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function appForm(root, close) {
  const platform = h("select", { onchange: () => draw() }, PLATFORMS.map((one) => h("option", { value: one }, t(`apps.${one}`))));
  const bundle = h("input", { type: "text", autocomplete: "off", spellcheck: "false" });
  const bundleLabel = h("label", { class: "field" }, t("apps.bundle"), bundle);
  const name = h("input", { type: "text", autocomplete: "off", maxlength: 100 });
  const problem = h("p", { class: "error", role: "alert" });
  const draw = () => { bundleLabel.hidden = !["ios", "android"].includes(platform.value); };
  const save = async () => {
    const app = { platform: platform.value, ...(bundleLabel.hidden ? {} : { bundleId: bundle.value.trim() }), ...(name.value ? { displayName: name.value } : {}) };
    try {
      close(await call("POST", root, app));
    } catch (error) {
      show(problem, explain(error));
    }
  };
  draw();
  return [h("label", { class: "field" }, t("apps.platform"), platform), bundleLabel, h("label", { class: "field" }, t("apps.name"), name), problem,
    h("div", { class: "actions" }, h("button", { type: "button", onclick: () => close(null) }, t("cancel")), h("button", { type: "submit", class: "primary", onclick: save }, t("apps.add")))];
}

// Keys

function keysView(project) {
  const root = path("console", "api", "projects", project, "keys");
  const rows = h("div", { class: "scroll" });
  const load = () => call("GET", root).then(({ keys }) => show(rows, keyTable(root, keys, load)), (error) => show(rows, h("p", { class: "error", role: "alert" }, explain(error))));
  const add = async () => {
    const made = await dialog(t("keys.add"), (close) => keyForm(root, close));
    if (!made) return;
    keepText(made);
    toast(t("keys.made"));
    load();
  };
  load();
  return h("section", { class: "stack" }, h("div", { class: "spread" }, h("h2", {}, t("keys.of")), h("button", { type: "button", onclick: add }, icon("plus"), t("keys.add"))), h("p", { class: "note" }, t("keys.text")), rows);
}

function keyTable(root, keys, reload) {
  if (keys.length === 0) return h("p", {}, t("keys.none"));
  const revoke = async (key) => {
    if (!(await confirm(t("keys.revoke", key.email), t("keys.revokeText"), t("keys.revoke", key.email)))) return;
    await call("DELETE", root + path(key.id)).catch((error) => toast(explain(error)));
    reload();
  };
  return h("table", { class: "table" }, h("thead", {}, h("tr", {}, ["keys.account", "keys.id", "users.created"].map((key) => h("th", { scope: "col" }, t(key))), h("td", {}))),
    h("tbody", {}, keys.map((key) => h("tr", {}, h("td", {}, key.email), h("td", { class: "mono" }, key.id), h("td", {}, instant(key.createdAt)), h("td", {}, iconButton("trash", t("keys.revoke", key.email), () => revoke(key)))))));
}

function keyForm(root, close) {
  const name = h("input", { type: "text", autocomplete: "off", autofocus: true });
  const problem = h("p", { class: "error", role: "alert" });
  const save = async () => {
    try {
      close(await call("POST", root, { name: name.value.trim() }));
    } catch (error) {
      show(problem, explain(error));
    }
  };
  return [h("label", { class: "field" }, t("apps.name"), name), problem, h("div", { class: "actions" }, h("button", { type: "button", onclick: () => close(null) }, t("cancel")), h("button", { type: "submit", class: "primary", onclick: save }, t("keys.add")))];
}
