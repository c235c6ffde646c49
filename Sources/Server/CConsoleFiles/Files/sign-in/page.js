import { roleTexts } from "../base/access.js";
import { post } from "../base/request.js";
import { session, takeInvitation } from "../base/session.js";
import { button, explain, h, inline, language, languageNames, muted, note, notice, select, setLanguage, show, stack, t } from "../base/ui.js";
import { setUpForm, signInForm } from "./form.js";

/** Shows who is nobody yet how to come in; the promise ends when there is a session. */
export const askAtTheDoor = (invitation) => new Promise((resolve) => {
  const main = h("main.door", { id: "page" });
  // A set-up link that is pasted into this tab changes no more than the address's end.
  const pasted = () => {
    const code = takeInvitation();
    if (!code) return;
    invitation = code;
    draw();
  };
  addEventListener("hashchange", pasted);
  const done = () => {
    removeEventListener("hashchange", pasted);
    main.remove();
    resolve();
  };
  let drawn = 0;
  const draw = async () => {
    drawn += 1;
    const mine = drawn;
    document.title = `${t(invitation ? "setUp" : "signIn")} · Brasa`;
    const content = invitation ? await setUp(invitation, done, () => { invitation = null; draw(); }) : signIn(done);
    if (mine !== drawn) return;
    show(main, frame(content), languages(draw));
    main.querySelector("[autofocus]")?.focus();
  };
  document.body.append(main);
  draw();
});

const brand = () => inline(h("img", { src: new URL("../icon.svg", import.meta.url).href, alt: "", width: 24, height: 24 }), h("span.word", "Brasa"));

const frame = (content) => stack(brand(), content);

const signIn = (done) => [h("h1", t("signIn")), muted(location.host), signInForm(done), note(t("signIn.help"))];

async function setUp(code, done, giveUp) {
  try {
    const invitation = await post("/console/session/invitation", { code });
    return [h("h1", t("setUp")), h("p", t("setUp.text", roleTexts(invitation).join(", "))), setUpForm(code, invitation, done)];
  } catch (error) {
    return [h("h1", t("setUp")), notice("danger", explain(error)),
      button(t("signIn"), giveUp)];
  }
}

function languages(draw) {
  const choose = async (event) => {
    await setLanguage(event.target.value);
    draw();
  };
  return select(Object.entries(languageNames), language.peek(), { label: t("language"), onchange: choose });
}

/**
 * Asks over the page as it is, when the session has ended or, "early", is about to, or when an act takes a "recent"
 * sign-in; the promise has true when there is another session, and false when the person left what may be left.
 */
export const askOverThePage = (why) => new Promise((resolve) => {
  const element = h("dialog.door-dialog", { "aria-labelledby": "door-title" });
  const end = (isSignedIn) => {
    element.close();
    element.remove();
    resolve(isSignedIn);
  };
  const form = signInForm(() => end(true), session.peek()?.email ?? "");
  element.append(stack(h("h2", { id: "door-title" }, t("signIn.again")), why === "early" ? null : h("p", t(why ? "signIn.recentText" : "signIn.againText")), form));
  // Nothing else can be done without a session.
  element.addEventListener("cancel", (event) => (why ? end(false) : event.preventDefault()));
  // Browsers close it at a second Escape all the same.
  element.addEventListener("close", () => element.isConnected && element.showModal());
  document.body.append(element);
  element.showModal();
});
