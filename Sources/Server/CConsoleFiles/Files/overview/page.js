import { effect, h, link, muted, place, session, show, spread, stack, t, toast } from "../base/ui.js";
import { databases } from "../shell/store.js";
import { firstSteps } from "./steps.js";

/** What this project is, and how apps reach it. */
export function page() {
  return h("div", { class: "body" }, h("h1", {}, place.peek().project), firstSteps(), mode(), databaseList(), connect());
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

/** What apps of each kind are told to reach this server. */
export function snippets(project, host, port) {
  return {
    Swift: `let settings = Firestore.firestore().settings\nsettings.host = "${host}:${port}"\nsettings.isSSLEnabled = ${location.protocol === "https:"}\nFirestore.firestore().settings = settings`,
    JavaScript: `connectFirestoreEmulator(getFirestore(app), "${host}", ${port});\nconnectAuthEmulator(getAuth(app), "${location.origin}");`,
    Python: `# FIRESTORE_EMULATOR_HOST=${host}:${port}\ndb = google.cloud.firestore.Client(project="${project}")`,
  };
}

function connect() {
  const port = location.port || (location.protocol === "https:" ? "443" : "80");
  const parts = Object.entries(snippets(place.peek().project, location.hostname, port)).map(([name, text]) =>
    stack(spread(h("h3", {}, name),
      h("button", { type: "button", onclick: () => navigator.clipboard.writeText(text).then(() => toast(t("copied"))) }, t("copy.of", name))), h("pre", {}, text)));
  return h("section", { class: "panel stack" }, h("h2", {}, t("overview.connect")), parts);
}
