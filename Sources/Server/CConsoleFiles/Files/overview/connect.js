import { button, call, closing, code, complain, consolePath, copyText, dialog, explain, field, h, icon, input, inScope, keepFile, link, note, onCleanup, path, problemLine, quiet, scope, session, show, spread, stack, stateBadge, t } from "../base/ui.js";
import { snippetsOf } from "./snippets.js";

/** Connecting an app: its platform, its registration, the lines that reach this server, and its first call. */

/** Platforms by the names of their snippets: the kind that is registered, null for back ends, which have keys. */
const PLATFORMS = { Swift: "ios", Kotlin: "android", JavaScript: "web", Flutter: "web", "React Native": "web", "Node.js": null, Python: null, Linux: "linux", curl: null };
/** A bundle id as people write it. */
const SAMPLE = "com.example.app";
const WAIT_MILLISECONDS = 2_000;
const FILES = { ios: "plist", android: "google-services", linux: "json" };

/** Opens the wizard for a project. */
export const connectDialog = (project) => dialog(t("overview.connect"), (close) => {
  const body = stack();
  const again = () => show(body, choices(open));
  // Its questions end with the platform, and with the dialog.
  let current = null;
  const open = (name) => {
    current?.dispose();
    current = scope(() => connectView(project, name, again));
    show(body, current.result);
    body.querySelector("button").focus();
  };
  onCleanup(() => current?.dispose());
  again();
  return [body, closing(close)];
}, "wide");

const choices = (open) => [h("p", t("connect.choose")), h("div.platforms", Object.keys(PLATFORMS).map((name, index) => button([h("b", t(`platform.${name}`)), h("span.note", t(PLATFORMS[name] === null ? "connect.backEnd" : "connect.app"))], () => open(name), { autofocus: index === 0 })))];

function connectView(project, name, back) {
  const kind = PLATFORMS[name];
  const text = snippetsOf(session.peek().mode, project, location)[name];
  const number = (at) => h("span.step-mark", { "aria-hidden": true }, at);
  const step = (at, title, ...content) => h("section.connect-step", number(at), stack(h("h3", title), content));
  return [
    spread(h("b", t(`platform.${name}`)), quiet(t("connect.other"), back)),
    kind === null ? step(1, t("connect.key"), keyStep(project)) : step(1, t("step.app"), register(project, kind)),
    step(2, t("connect.lines"), h("pre.snippet", { tabindex: 0, role: "group", label: t("connect.lines") }, text), h("div", button([icon("copy"), t("copy.of", t(`platform.${name}`))], () => copyText(text).catch(complain)))),
    kind === null ? null : step(3, t("connect.run"), firstCall(project)),
  ];
}

/** In development nothing has to be proved; a back end in production has a key of its own. */
const keyStep = () => (session.peek().mode === "development" ? note(t("connect.noKey")) : h("p", t("overview.connectText"), " ", h("a", { href: link("settings", ["apps"]) }, t("overview.keys"))));

function register(project, kind) {
  const root = consolePath(project, "apps");
  const holder = stack();
  const hasBundle = ["ios", "android"].includes(kind);
  const file = (app) => call("GET", `${root}${path(app.id, "file")}?form=${FILES[kind] ?? "json"}`).then(({ name, text }) => keepFile(name, text), complain);
  const known = inScope((app) => show(holder, h("p.row", stateBadge("ok", t("connect.registered")), h("b", { dir: "auto" }, app.displayName || app.bundleId || app.id)),
    h("div", button(t("connect.file"), () => file(app)))));
  const ask = inScope(() => {
    const [bundle, name, problem] = [input("", { placeholder: SAMPLE, class: "mono" }), input("", { maxlength: 100 }), problemLine()];
    const save = async () => {
      try {
        show(problem);
        known(await call("POST", root, { platform: kind, ...(hasBundle ? { bundleId: bundle.value.trim() } : {}), ...(name.value.trim() ? { displayName: name.value.trim() } : {}) }));
      } catch (error) {
        show(problem, explain(error));
      }
    };
    show(holder, hasBundle ? field("apps.bundle", bundle) : null, field("connect.name", name), problem, h("div", button(t("connect.register"), save, { writes: true })));
  });
  call("GET", root).then(({ apps }) => {
    const app = apps.filter((one) => one.platform === kind).at(-1);
    if (app) known(app);
    else ask();
  }, (error) => show(holder, explain(error)));
  return holder;
}

/** Waits for a request that the rules evaluate: an app has come. */
function firstCall(project) {
  const line = h("p.row", { role: "status" }, h("span.waiting", { "aria-hidden": true }), t("connect.waiting"));
  const root = consolePath(project);
  let [timer, isOver, first] = [null, false, null];
  const look = async () => {
    const found = (await Promise.all(["denials", "allowed"].map((name) => call("GET", `${root}/${name}?after=0`).then((answer) => answer[name], () => [])))).flat();
    if (isOver) return;
    const newest = found.reduce((last, one) => (last === null || one.time > last.time ? one : last), null);
    if (first === null) first = newest?.time ?? 0;
    else if (newest && newest.time > first) {
      show(line, stateBadge("ok", t("connect.connected")), code(`${newest.method} ${newest.path ?? ""}`));
      return;
    }
    timer = setTimeout(look, WAIT_MILLISECONDS);
  };
  onCleanup(() => { isOver = true; clearTimeout(timer); });
  look();
  return line;
}
