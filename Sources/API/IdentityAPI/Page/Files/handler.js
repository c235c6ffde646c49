"use strict";

const texts = {
  en: ["Signed in at the provider", "You can close this page and go back to the app."],
  "pt-BR": ["Entrada feita no provedor", "Você pode fechar esta página e voltar ao aplicativo."],
};
const [title, explanation] = texts[document.documentElement.lang] || texts.en;
const main = document.querySelector("main");
const head = document.createElement("h1");
const body = document.createElement("p");
head.textContent = title;
body.textContent = explanation;
main.replaceChildren(head, body);
if (window.opener) {
  window.opener.postMessage({ type: "brasa:signIn", requestUri: location.href }, location.origin);
  window.close();
}
