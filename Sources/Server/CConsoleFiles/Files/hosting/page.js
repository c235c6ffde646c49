import { tabs } from "../base/ui.js";
import { channelsView } from "./channels.js";
import { domainsView } from "./domains.js";
import { releasesView } from "./releases.js";
import { siteView } from "./site.js";

/** Sites: what they show, their previews, and the names that lead to them. */
export const page = () => tabs("hosting", { "hosting.releases": () => siteView(releasesView), "hosting.channels": () => siteView(channelsView), "hosting.domains": () => siteView(domainsView) });
