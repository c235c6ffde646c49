import { startKeyboard } from "./base/commands.js";
import { asking, hasInvitation, takeInvitation } from "./base/session.js";
import { applyTheme } from "./base/memory.js";
import { effect, h, isSignedIn, language, loadLanguage, loadSession, loadTexts, scope, show, startNavigation, t, untracked } from "./base/ui.js";
import { shell } from "./shell/shell.js";

/** The console begins here: language, session, then the shell, made anew when the language changes. */
async function start() {
  applyTheme();
  await loadLanguage();
  try {
    await comeIn();
  } catch (error) {
    show(document.body, h("main.empty", { role: "alert" }, h("h1", t("unreachable")), h("p.mono", error.message),
      h("button", { onclick: () => location.reload() }, t("tryAgain"))));
    return;
  }
  startNavigation();
  startKeyboard();
  // A set-up link that is pasted into the tab of somebody who is signed in.
  addEventListener("hashchange", () => { if (hasInvitation()) location.reload(); });
  let current = null;
  effect(() => {
    language.value;
    untracked(() => {
      current?.dispose();
      current = scope(shell);
      document.body.querySelector(".shell")?.remove();
      document.body.prepend(current.result);
    });
  });
}

/** What signing in takes, which development and most visits do without. */
const door = async () => (await Promise.all([import("./sign-in/page.js"), loadTexts("sign-in")]))[0];

/** Finds out who is there; who is nobody yet signs in first. */
async function comeIn() {
  const invitation = takeInvitation();
  if (invitation) await (await door()).askAtTheDoor(invitation);
  for (;;) {
    await loadSession();
    if (isSignedIn()) break;
    await (await door()).askAtTheDoor(null);
  }
  asking.act = async (why) => (await door()).askOverThePage(why);
}

start();
