import { count, plural } from "./words.js";

export default {
  "requests.none": "The rules denied nothing lately.",
  "requests.text": "What the rules denied, with what the conditions saw. Of each second twenty at most are kept, five hundred in all, until the server restarts.",
  "requests.last": "Last:",
  "requests.request": "request",
  "requests.ruleset": "Ruleset",
  "requests.seen": "What the conditions saw",
  "requests.again": "Try in the playground",
  "requests.people": (n) => `${count(n)} ${plural(n, "caller", "callers")}`,
};
