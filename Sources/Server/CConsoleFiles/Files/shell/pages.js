/** The pages: the area in the address, the service without which there is none, whether it is about no project, and the module that makes it. */
export const PAGES = [
  { area: "overview", icon: "overview", keys: "g o", load: () => import("../overview/page.js") },
  { area: "firestore", icon: "data", keys: "g d", service: "firestore", view: "data", load: () => import("../data/page.js") },
  { area: "firestore", icon: "indexes", keys: "g i", service: "firestore", view: "indexes", load: () => import("../indexes/page.js") },
  { area: "rules", icon: "rules", keys: "g r", service: "rules", load: () => import("../rules/page.js") },
  { area: "users", icon: "users", keys: "g u", service: "accounts", load: () => import("../users/page.js") },
  { area: "files", icon: "files", keys: "g f", service: "storage", load: () => import("../files/page.js") },
  { area: "functions", icon: "functions", keys: "g n", load: () => import("../functions/page.js") },
  { area: "hosting", icon: "hosting", keys: "g h", service: "hosting", load: () => import("../hosting/page.js") },
  { area: "messages", icon: "messages", keys: "g m", service: "messaging", load: () => import("../messages/page.js") },
  { area: "config", icon: "config", keys: "g c", service: "remote config", load: () => import("../config/page.js") },
  { area: "analytics", icon: "analytics", keys: "g a", service: "analytics", load: () => import("../analytics/page.js") },
  { area: "requests", icon: "requests", keys: "g q", load: () => import("../requests/page.js") },
  { area: "backups", icon: "backups", keys: "g b", isOwners: true, load: () => import("../backups/page.js") },
  { area: "operations", icon: "operations", keys: "g p", isServers: true, load: () => import("../operations/page.js") },
  { area: "settings", icon: "settings", keys: "g s", load: () => import("../settings/page.js") },
];

/** The pages of a server with those services, for somebody with that role in all projects; null for none. */
export const pagesOf = ({ services, role }) => PAGES.filter((page) => (!page.service || services.includes(page.service)) && (!page.isServers || role !== null) && (!page.isOwners || role === "owner"));

/** The groups of the rail by the catalogues of their pages; the others are of those who operate the server. */
const GROUPS = { "": ["overview"], build: ["data", "indexes", "rules", "users", "files", "functions", "hosting"], engage: ["messages", "config", "analytics"], operate: [] };

/** Pages by group, without the groups that have none. */
export function groupsOf(pages) {
  const groupOf = (page) => Object.keys(GROUPS).find((name) => GROUPS[name].includes(textsOf(page))) ?? "operate";
  return Object.keys(GROUPS).map((name) => [name, pages.filter((page) => groupOf(page) === name)]).filter(([, some]) => some.length > 0);
}

/** Firebase's names of pages that are called otherwise here. */
export const NAMES = { data: "Firestore", users: "Authentication", files: "Storage", messages: "Messaging" };

/** The catalogue of a page's texts. */
export const textsOf = (page) => page.view ?? page.area;

/** A page's name among the texts. */
export const pageKey = (page) => `page.${textsOf(page)}`;

/** The page of a place; the first where there is none. */
export function pageOf({ area, rest }, pages) {
  const view = area === "firestore" && rest[1] === "indexes" ? "indexes" : "data";
  return pages.find((page) => page.area === area && (page.view ?? view) === view) ?? pages[0];
}
