import { call, path, place } from "../base/ui.js";
import { rootOf } from "./model.js";

/** What the server says of a project's sites. */

const PAGE = "pageSize=200";

/** The sites of the project; the one of its name is there before its first version. */
export const sitesOf = async () => (await call("GET", `${path("v1beta1", "projects", place.peek().project, "sites")}?${PAGE}`)).sites;

export const channelsOf = async (site) => (await call("GET", `${rootOf(site)}/channels?${PAGE}`)).channels;

/** The releases of a channel, the newest first. */
export const releasesOf = async (site, channel) => (await call("GET", `${rootOf(site)}/channels${path(channel)}/releases?${PAGE}`)).releases;

export const domainsOf = async (site) => (await call("GET", `${rootOf(site)}/customDomains?${PAGE}`)).customDomains;

/** Shows the version of an earlier release again. */
export function rollBack(site, channel, { version }) {
  const [, name] = /(sites\/.*)$/.exec(version.name);
  return call("POST", `${rootOf(site)}/channels${path(channel)}/releases?versionName=${encodeURIComponent(name)}`, { type: "ROLLBACK" });
}

export const createSite = (name) => call("POST", `${path("v1beta1", "projects", place.peek().project, "sites")}?siteId=${encodeURIComponent(name)}`, {});

/** Makes a preview that lives for so many seconds. */
export const createChannel = (site, id, seconds) => call("POST", `${rootOf(site)}/channels?channelId=${encodeURIComponent(id)}`, { ttl: `${seconds}s` });

export const extendChannel = (channel, seconds) => call("PATCH", rootOf(channel), { ttl: `${seconds}s` });

/** Deletes a channel, or takes a domain from its site. */
export const remove = (thing) => call("DELETE", rootOf(thing));

export const connectDomain = (site, host) => call("POST", `${rootOf(site)}/customDomains?customDomainId=${encodeURIComponent(host)}`, {});
