import { count, plural } from "./words.js";

export default {
  "requests.none": "As regras não negaram nada recentemente.",
  "requests.text": "O que as regras negaram, com o que as condições viram. De cada segundo ficam no máximo vinte, quinhentas ao todo, até o servidor reiniciar.",
  "requests.last": "Última:",
  "requests.request": "requisição",
  "requests.ruleset": "Conjunto de regras",
  "requests.seen": "O que as condições viram",
  "requests.again": "Testar no simulador",
  "requests.people": (n) => `${count(n)} ${plural(n, "chamador", "chamadores")}`,
};
