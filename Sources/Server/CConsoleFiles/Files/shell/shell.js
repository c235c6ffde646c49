import { isReadOnly, mayChange, roleHere, setReadOnly } from "../base/access.js";
import { command, openPalette, showKeys, typedCommands } from "../base/commands.js";
import { connection, extend, sessionEnd, signOut } from "../base/session.js";
import { keep, kept, setTheme, theme, THEMES } from "../base/memory.js";
import { complain, effect, explain, field, go, h, icon, iconButton, language, languageNames, link, loadTexts, mayLeave, muted, named, notice, onCleanup, place, scope, select, session, setLanguage, show, signal, spread, t, untracked } from "../base/ui.js";
import { viewAs, viewed } from "../base/viewing.js";
import { groupsOf, NAMES, pageKey, pageOf, pagesOf, textsOf } from "./pages.js";
import { databases, firstDatabase, loadDatabases, loadProjects, loadStyles, pageVersion, projectNames, projects } from "./store.js";

/** The frame around every page: bar, rail, and the page of the address. */
export function shell() {
  const pages = pagesOf(session.peek());
  const rail = makeRail(pages);
  const main = h("main.page", { id: "page", tabindex: "-1" });
  const element = h("div.shell",
    h("a.skip.button", { href: "#page", onclick: (event) => { event.preventDefault(); main.focus(); } }, t("skip")),
    bar(rail), rail, main);
  effect(() => element.classList.toggle("narrow", isNarrow.value));
  addCommands(pages);
  showPages(main, pages);
  warnOfEnd();
  return element;
}

// The bar

function bar(rail) {
  const toggle = iconButton("menu", t("menu"), () => {
    const isOpen = rail.classList.toggle("open");
    toggle.setAttribute("aria-expanded", String(isOpen));
  }, { "aria-expanded": false, class: "quiet menu" });
  effect(() => {
    place.value;
    rail.classList.remove("open");
    toggle.setAttribute("aria-expanded", "false");
  });
  const home = h("a.brand", { href: "/console" }, h("img", { src: new URL("../icon.svg", import.meta.url).href, alt: "" }), h("span.word", "Brasa"));
  return h("header.bar", toggle, home, projectChoice(), databaseChoice(), environment(), latch(), viewer(),
    h("div.end", light(),
      iconButton("search", t("palette.title"), openPalette), account()));
}

function environment() {
  const { mode } = session.peek();
  if (mode !== "development") return h("span.badge", location.host);
  return h("span.badge.development", { title: t("development.explained") }, t("development"));
}

/** Locks writing in this browser; viewers are told that theirs is. */
function latch() {
  const holder = h("span");
  effect(() => {
    if (!mayChange()) return show(holder, h("span.badge", { title: t("readOnly.explained") }, icon("lock"), t("readOnly")));
    const isOn = isReadOnly();
    return show(holder, h("button.quiet", { "aria-pressed": isOn, label: t("readOnly"), title: t(isOn ? "readOnly.explained" : "readOnly"), onclick: () => turnLatch(!isOn) }, icon("lock"), isOn ? t("readOnly") : null));
  });
  return holder;
}

/** As whom data is looked at, and the way back. */
function viewer() {
  const holder = h("span", { role: "status" });
  const end = () => {
    viewAs(null);
    pageVersion.value += 1;
  };
  effect(() => {
    const who = viewed.value;
    show(holder, who ? h("span.badge.development.row", t("view.as", who.uid), iconButton("close", t("view.end"), end)) : null);
  });
  return holder;
}

/** The page is made anew, with controls as they are then. */
function turnLatch(isOn) {
  if (!mayLeave()) return;
  setReadOnly(isOn);
  pageVersion.value += 1;
}

/** The menu of the person: how the console looks, the own account, and the way out. */
function account() {
  const { email } = session.peek();
  const role = h("span.note.role");
  effect(() => show(role, t(`role.${roleHere()}`)));
  const close = () => menu.hidePopover();
  const own = email ? [h("div.spread", h("b", { dir: "auto" }, email)), h("hr")] : null;
  const out = email ? [h("hr"), h("a", { href: link("settings", ["me"]), class: "button quiet start", onclick: close }, icon("users"), t("account.mine")), h("button.quiet.start", { onclick: () => { close(); signOut().catch(complain); } }, icon("close"), t("signOut"))] : null;
  const menu = h("div.account", { popover: "auto", id: "account", role: "group", label: t("account") }, own, field("language", languageChoice()), field("theme", themeChoice()), out);
  return [email ? role : null, h("button.quiet.round", { popovertarget: "account", label: t("account"), title: email ?? t("account") }, h("span.face", { "aria-hidden": true }, email ? email[0].toUpperCase() : icon("users"))), menu];
}

/** Before the session ends its bar says so, with a way to go on; it is drawn anew with each token. */
const WARNING_MILLISECONDS = 10 * 60_000;

function warnOfEnd() {
  const holder = h("div.session-end", { role: "status" });
  const draw = () => {
    const left = sessionEnd.peek() === null ? Infinity : sessionEnd.peek() - Date.now();
    const again = () => extend().catch(complain);
    show(holder, left < WARNING_MILLISECONDS ? notice("warn", spread(t("session.ends", Math.max(1, Math.ceil(left / 60_000))), h("button", { onclick: again }, t("signIn.again")))) : null);
  };
  const timer = setInterval(draw, 60_000);
  effect(() => { sessionEnd.value; draw(); });
  onCleanup(() => { clearInterval(timer); holder.remove(); });
  document.body.append(holder);
}

const choice = (label, options, current, onchange) => select(options, current, { label, title: label, onchange: (event) => onchange(event.target.value) });

/** The choice that is no project; no id has such a sign. */
const NEW = "+";

function projectChoice() {
  const holder = h("span");
  effect(() => {
    const current = place.value.project;
    const all = new Set(projects.value);
    if (current) all.add(current);
    const names = projectNames.value;
    const options = [...all].sort().map((one) => [one, names[one] && names[one] !== one ? `${names[one]} (${one})` : one]);
    // Whoever may change all projects may add one.
    if (["editor", "owner"].includes(session.peek().role) && !isReadOnly()) options.push([NEW, t("project.new")]);
    show(holder, choice(t("project"), options, current, (project) => go(project === NEW ? { project: current, area: "overview", query: { new: "project" } } : { project, area: "overview" })));
  });
  return holder;
}

function databaseChoice() {
  const holder = h("span");
  effect(() => {
    const { area, rest, project } = place.value;
    const all = databases.value;
    if (area !== "firestore" || all.length < 2) return show(holder);
    const options = all;
    show(holder, choice(t("database"), options, rest[0], (database) => go({ project, area, rest: [database, rest[1] ?? "data"] })));
  });
  return holder;
}

const languageChoice = () => choice(t("language"), Object.entries(languageNames), language.peek(), setLanguage);

const themeChoice = () => choice(t("theme"), named("theme", THEMES), theme(), setTheme);

/** Whether a view follows changes by a listener; the others ask again, and say so themselves. */
const isListened = ({ area, rest }) => area === "firestore" && rest[1] === "data";

function light() {
  const word = h("span.word");
  const element = h("span.light", { role: "img" }, word);
  effect(() => {
    const text = t(`connection.${connection.value}`);
    element.hidden = connection.value === "idle" && !isListened(place.value);
    element.dataset.state = connection.value;
    element.setAttribute("aria-label", text);
    element.title = text;
    show(word, text);
  });
  return element;
}

// The rail

/** Whether the rail shows icons alone. */
const isNarrow = signal(kept("rail") === "narrow");

function makeRail(pages) {
  const rail = h("nav.rail", { label: t("pages") });
  const turn = () => {
    isNarrow.value = !isNarrow.peek();
    keep("rail", isNarrow.peek() ? "narrow" : "wide");
  };
  effect(() => {
    const current = pageOf(place.value, pages);
    const entry = (page) => h("li", h("a", { href: addressOf(page), title: isNarrow.value ? t(pageKey(page)) : null, "aria-current": page === current ? "page" : null }, icon(page.icon), h("span", t(pageKey(page))), NAMES[textsOf(page)] ? h("small", { "aria-hidden": true }, NAMES[textsOf(page)]) : null));
    show(rail, groupsOf(pages).map(([name, some]) => [name ? h("h2", t(`group.${name}`)) : null, h("ul", some.map(entry))]),
      h("button.quiet", { "aria-pressed": isNarrow.value, label: t("rail.narrow"), title: t("rail.narrow"), onclick: turn }, icon("collapse"), h("span", t("rail.narrow"))));
  });
  return rail;
}

function addressOf(page) {
  if (page.area !== "firestore") return link(page.area);
  const { area, rest } = place.value;
  const database = area === "firestore" && rest[0] ? rest[0] : firstDatabase();
  return link("firestore", [database, page.view]);
}

// The page

function showPages(main, pages) {
  let shown = null;
  let isFirst = true;
  effect(() => {
    const { project, area, rest } = place.value;
    if (!project) {
      untracked(chooseProject);
      return;
    }
    const page = pageOf(place.value, pages);
    // The page itself follows the rest of the address.
    const key = `${pageVersion.value} ${project} ${area} ${page.view ?? ""} ${area === "rules" ? rest.join("/") : area === "firestore" ? rest[0] ?? "" : ""}`;
    if (shown?.key === key) return;
    shown?.dispose();
    shown = { key, isOver: false, dispose() { this.isOver = true; } };
    untracked(() => openPage(main, page, project, shown, isFirst));
    isFirst = false;
  });
  onCleanup(() => shown?.dispose());
}

async function openPage(main, page, project, mine, isFirst) {
  document.title = `${t(pageKey(page))} · ${project} · Brasa`;
  show(main, h("div.body", muted(t("loading"))));
  try {
    const [module] = await Promise.all([page.load(), loadTexts(textsOf(page)), loadDatabases(project), page.area === "overview" ? null : loadStyles()]);
    if (mine.isOver) return;
    const { result, dispose } = scope(module.page);
    // A page may lead to another one as it is made.
    if (mine.isOver) {
      dispose();
      return;
    }
    mine.dispose = dispose;
    show(main, result);
    if (!isFirst) main.focus();
  } catch (error) {
    if (mine.isOver) return;
    console.warn(error);
    show(main, h("div.body", notice("danger", explain(error))));
  }
}

async function chooseProject() {
  await loadProjects().catch(() => {});
  const project = projects.peek()[0] ?? session.peek().defaultProject;
  const { area, rest, query } = place.peek();
  go({ project, area: area || "overview", rest, query }, { replace: true });
}

// Commands

function addCommands(pages) {
  loadProjects().catch(() => {});
  for (const page of pages) {
    command({ label: () => t("goTo", t(pageKey(page))), keys: page.keys, run: () => { const [pathname, search] = addressOf(page).split("?"); history.pushState(null, "", pathname + (search ? `?${search}` : "")); dispatchEvent(new PopStateEvent("popstate")); } });
  }
  for (const name of THEMES) command({ label: () => `${t("theme")}: ${t(`theme.${name}`)}`, run: () => setTheme(name) });
  for (const [tag, name] of Object.entries(languageNames)) command({ label: () => `${t("language")}: ${name}`, run: () => setLanguage(tag) });
  command({ label: () => t("keys.title"), keys: "?", run: showKeys });
  typedCommands.make = (typed) => {
    const segments = typed.split("/").filter(Boolean);
    if (!typed.includes("/") || segments.length === 0) return [];
    const { project } = place.peek();
    const database = place.peek().area === "firestore" && place.peek().rest[0] ? place.peek().rest[0] : firstDatabase();
    return [{ label: () => t("palette.path", segments.join("/")), run: () => go({ project, area: "firestore", rest: [database, "data", ...segments] }) }];
  };
}
