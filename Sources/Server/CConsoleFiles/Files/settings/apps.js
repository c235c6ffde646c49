import { managed, remover } from "../base/managed.js";
import { blank, button, call, closing, complain, consolePath, copyText, dialog, field, form, h, inline, input, instant, keepFile, listing, named, note, path, place, primary, projectPath, secondary, select, session, stack, t, tableOr, toast } from "../base/ui.js";

/** The apps of a project with their configuration files, and the keys of back ends. */

const PLATFORMS = ["ios", "android", "web", "linux"];
const FORMS = { plist: "GoogleService-Info.plist", json: "firebase-config.json", "google-services": "google-services.json" };

export function appsView() {
  const { project } = place.peek();
  const { role, services } = session.peek();
  return stack(appList(project), role === "owner" ? keyList(project) : null, role === "owner" && services.includes("messaging") ? serverKeyList(project) : null);
}

// Apps

function appList(project) {
  const root = consolePath(project, "apps");
  const { rows, load } = managed(root, ({ apps }, remove) => appTable(root, apps, remove));
  const add = async () => (await dialog(t("apps.add"), (close) => appForm(root, close))) && load();
  return listing("settings.apps", primary(t("apps.add"), add), note(t("apps.key", project)), rows);
}

const appTable = (root, apps, remove) => tableOr(blank("plus", t("apps.none")), ["name", "dimension.platform", "apps.id", "users.created", null], apps.map((app) => [
  [nameOf(app), app.displayName && app.bundleId ? h("div.note", app.bundleId) : null], t(`apps.${app.platform}`), h("code", app.id), instant(app.createdAt),
  inline(Object.entries(FORMS).filter(([kind]) => fits(app.platform, kind)).map(([kind, name]) => button(name, () => download(`${root}${path(app.id, "file")}?form=${kind}`))),
    remover(t("field.remove", nameOf(app)), "apps.removeText", app.id, remove))]));

const nameOf = (app) => app.displayName || app.bundleId || app.id;
const fits = (platform, kind) => kind === "json" || (kind === "plist" ? platform === "ios" : platform === "android");

/** Has the browser keep a file that the server makes. */
const download = (address) => call("GET", address).then(({ name, text }) => keepFile(name, text), complain);

function appForm(root, close) {
  const platform = select(named("apps", PLATFORMS), "ios", { onchange: () => draw() });
  const bundle = input();
  const bundleLabel = field("apps.bundle", bundle);
  const name = input("", { maxlength: 100 });
  const [team, prints] = [input("", { class: "mono", maxlength: 10 }), input("", { class: "mono" })];
  const [teamLabel, printsLabel] = [field("apps.team", team), field("apps.fingerprints", prints)];
  const draw = () => {
    bundleLabel.hidden = !["ios", "android"].includes(platform.value);
    teamLabel.hidden = platform.value !== "ios";
    printsLabel.hidden = platform.value !== "android";
  };
  const signature = () => ({ ...(teamLabel.hidden || !team.value.trim() ? {} : { teamId: team.value.trim() }), ...(printsLabel.hidden || !prints.value.trim() ? {} : { fingerprints: prints.value.trim() }) });
  const save = () => call("POST", root, { platform: platform.value, ...(bundleLabel.hidden ? {} : { bundleId: bundle.value.trim() }), ...signature(), ...(name.value ? { displayName: name.value } : {}) });
  draw();
  return form(close, t("apps.add"), save, field("dimension.platform", platform), bundleLabel, teamLabel, printsLabel, field("name", name));
}

// Keys

function keyList(project) {
  const root = consolePath(project, "keys");
  const { rows, load } = managed(root, ({ keys }, remove) => tableOr("keys.none", ["keys.account", "keys.id", "users.created", "keys.maker", null], keys.map((key) => [
    [key.email, key.kind === "hmac" ? h("div.note", t("keys.hmac", key.project)) : null], h("code", key.id), instant(key.createdAt), makerOf(key), remover(t("keys.revoke", key.email), "keys.revokeText", key.id, remove)])));
  const add = async () => {
    const made = await dialog(t("keys.add"), (close) => keyForm(root, close));
    if (!made) return;
    keepFile(made.name, made.text);
    toast(t("keys.made"));
    load();
  };
  return listing("keys.of", secondary(t("keys.add"), add), note(t("keys.text")), rows);
}

/** The account that made a key, and whether it is gone. */
const makerOf = ({ maker, isMakerGone }) => [maker || "–", isMakerGone ? h("div.note", t("keys.makerGone")) : null];

function keyForm(root, close) {
  const name = input("", { autofocus: true });
  return form(close, t("keys.add"), () => call("POST", root, { name: name.value.trim() }), field("name", name));
}

// Keys of the legacy form of messages

function serverKeyList(project) {
  const root = projectPath(project, "serverKeys");
  const gone = new Set();
  const { rows, load } = managed(root, ({ keys }, remove) => tableOr("serverKeys.none", ["name", "serverKeys.hint", "users.created", "keys.maker", null], keys.map((key) => [
    key.name, h("code", `${key.hint}…`), instant(key.createdAt), makerOf({ maker: key.createdBy, isMakerGone: gone.has(key.name) }), remover(t("keys.revoke", key.name), "keys.revokeText", key.name, remove)])));
  // The list of all keys knows whose maker is gone; this one, which other services have too, does not.
  call("GET", consolePath(project, "keys")).then(({ serverKeys = [] }) => {
    for (const key of serverKeys) if (key.isMakerGone) gone.add(key.id);
    if (gone.size > 0) load();
  }, complain);
  const add = async () => {
    const made = await dialog(t("serverKeys.add"), (close) => serverKeyForm(root, close));
    if (!made) return;
    await dialog(t("serverKeys.made"), (close) => shownOnce(made.key, close));
    load();
  };
  return listing("serverKeys.of", secondary(t("serverKeys.add"), add), note(t("serverKeys.text")), rows);
}

function serverKeyForm(root, close) {
  const name = input("", { autofocus: true, maxlength: 100 });
  return form(close, t("serverKeys.add"), () => call("POST", root, { name: name.value.trim() }), field("name", name));
}

function shownOnce(key, close) {
  const text = input(key, { class: "mono", readonly: true, label: t("serverKeys.made"), onfocus: () => text.select() });
  const copy = () => copyText(key).catch(() => text.select());
  return [h("p", t("serverKeys.once")), text, inline(button(t("copy.of", t("serverKeys.made")), copy)), closing(close)];
}
