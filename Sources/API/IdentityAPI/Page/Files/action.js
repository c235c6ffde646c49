"use strict";

const texts = {
  en: {
    resetPassword: ["Choose a new password", "For %s", "Save"],
    verifyEmail: ["Verify your e-mail", "Is %s yours?", "Verify"],
    verifyAndChangeEmail: ["Change your e-mail", "Your new address will be %s", "Change"],
    recoverEmail: ["Take your e-mail back", "Your address will be %s again", "Take back"],
    foreign: "It leads to no page of the app. Ask for a new one in the app.",
    password: "New password",
    done: "Done", doneText: "You can close this page.",
    recovered: "Somebody else may know your password: choose a new one when you sign in.", next: "Continue to %s",
    bad: "This link does not work", over: "It was used already, or its time is over. Ask for a new one.",
    short: "Take at least %s characters.", common: "Too many people have this password.",
    rules: "The password lacks something:",
    incomplete: "The link is not complete.", failed: "That did not work. Try again later.",
  },
  "pt-BR": {
    resetPassword: ["Escolha uma nova senha", "Para %s", "Salvar"],
    verifyEmail: ["Confirme seu e-mail", "%s é seu?", "Confirmar"],
    verifyAndChangeEmail: ["Troque seu e-mail", "Seu novo endereço será %s", "Trocar"],
    recoverEmail: ["Recupere seu e-mail", "Seu endereço voltará a ser %s", "Recuperar"],
    foreign: "Ele não leva a nenhuma página do aplicativo. Peça um novo no aplicativo.",
    password: "Nova senha",
    done: "Pronto", doneText: "Você pode fechar esta página.",
    recovered: "Talvez alguém saiba sua senha: escolha uma nova ao entrar.", next: "Continuar para %s",
    bad: "Este link não funciona", over: "Ele já foi usado ou o prazo acabou. Peça um novo.",
    short: "Use pelo menos %s caracteres.", common: "Muita gente usa esta senha.",
    rules: "Falta algo na senha:",
    kinds: {
      "a lower case character": "letra minúscula", "an upper case character": "letra maiúscula",
      "a numeric character": "número", "a non-alphanumeric character": "símbolo",
    },
    incomplete: "O link não está completo.", failed: "Não deu certo. Tente de novo mais tarde.",
  },
};

// The modes of links, and what the server calls their codes.
const requestTypes = {
  resetPassword: "PASSWORD_RESET", verifyEmail: "VERIFY_EMAIL",
  verifyAndChangeEmail: "VERIFY_AND_CHANGE_EMAIL", recoverEmail: "RECOVER_EMAIL", signIn: "EMAIL_SIGNIN",
};
const query = new URLSearchParams(location.search);
const text = texts[document.documentElement.lang] || texts.en;
const main = document.querySelector("main");

function element(name, content, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = content;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function show(...parts) {
  main.replaceChildren(...parts);
}

async function call(verb, body) {
  const key = encodeURIComponent(query.get("apiKey") || "");
  const answer = await fetch(`/v1/accounts:${verb}?key=${key}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-Firebase-Locale": document.documentElement.lang,
    },
    body: JSON.stringify({ oobCode: query.get("oobCode"), ...body }),
  });
  const json = await answer.json();
  if (!answer.ok) throw new Error(json.error.message);
  return json;
}

// Only a domain of the project's own, so that a link cannot lead people elsewhere.
async function nextPage() {
  try {
    const url = new URL(query.get("continueUrl"));
    if (!["http:", "https:"].includes(url.protocol)) return [];
    const key = encodeURIComponent(query.get("apiKey") || "");
    const project = await (await fetch(`/v1/projects?key=${key}`)).json();
    const own = [location.hostname, ...(project.authorizedDomains || [])];
    if (!own.includes(url.hostname)) return [];
    return [element("a", text.next.replace("%s", url.hostname), { href: url.href, class: "button" })];
  } catch {
    return [];
  }
}

async function done(mode) {
  const explanation = mode === "recoverEmail" ? text.recovered : text.doneText;
  show(element("h1", text.done), element("p", explanation), ...await nextPage());
}

function explain(error) {
  const [code, detail] = error.message.split(" : ");
  if (["INVALID_OOB_CODE", "EXPIRED_OOB_CODE", "USER_DISABLED", "USER_NOT_FOUND"].includes(code)) return text.over;
  if (code === "WEAK_PASSWORD") {
    const least = /\d+/.exec(detail);
    return least ? text.short.replace("%s", least[0]) : text.common;
  }
  if (code !== "PASSWORD_DOES_NOT_MEET_REQUIREMENTS") return text.failed;
  const kinds = (detail.match(/an? [a-z-]+( case)? character/g) || []).map((kind) => text.kinds?.[kind] || kind);
  return kinds.length ? `${text.rules} ${kinds.join(", ")}` : detail;
}

function ask(mode, address) {
  const [title, question, button] = text[mode];
  const form = document.createElement("form");
  const problem = element("p", "", { class: "wrong", role: "alert" });
  const submit = element("button", button, { type: "submit" });
  let field = null;
  if (mode === "resetPassword") {
    const label = element("label", text.password);
    field = element("input", "", { type: "password", autocomplete: "new-password", required: "" });
    label.append(field);
    // For programs that keep passwords.
    form.append(
      element("input", "", { type: "email", autocomplete: "username", value: address, hidden: "" }), label
    );
  }
  form.append(problem, submit);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    problem.textContent = "";
    try {
      if (field) await call("resetPassword", { newPassword: field.value });
      else await call("update", {});
      await done(mode);
    } catch (error) {
      problem.textContent = explain(error);
      submit.disabled = false;
    }
  });
  show(element("h1", title), element("p", question.replace("%s", () => address)), form);
  (field || submit).focus();
}

async function begin() {
  const mode = query.get("mode");
  if (!query.get("oobCode") || !Object.hasOwn(requestTypes, mode)) {
    return show(element("h1", text.bad), element("p", text.incomplete));
  }
  // The server has led every link of a domain of the project's on to its page.
  if (mode === "signIn") return show(element("h1", text.bad), element("p", text.foreign));
  try {
    const code = await call("resetPassword", {});
    // What the code does decides what the person is asked, not what the link says.
    if (code.requestType !== requestTypes[mode]) throw new Error("INVALID_OOB_CODE");
    ask(mode, mode === "verifyAndChangeEmail" ? code.newEmail : code.email);
  } catch (error) {
    show(element("h1", text.bad), element("p", explain(error)));
  }
}

begin();
