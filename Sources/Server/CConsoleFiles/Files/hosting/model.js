/** Sites, channels and releases, as the pages show them. Pure. */

/** The last part of a resource's name. */
export const idOf = ({ name }) => name.split("/").at(-1);

/** The path below which the routes of a resource are. */
export const rootOf = ({ name }) => `/v1beta1/${name.split("/").map(encodeURIComponent).join("/")}`;

/** The version of a release, as people tell it from others; null where the site was disabled. */
export const versionOf = ({ version }) => (version ? idOf(version).slice(0, 8) : null);

const DAY = 86_400_000;

/** How a channel's end is shown: null without one, else `warn` within a day and `plain` before. */
export function endToneOf({ expireTime }, now) {
  if (!expireTime) return null;
  return new Date(expireTime) - now < DAY ? "warn" : "plain";
}

/** The colour of a certificate's state. */
export const certificateToneOf = ({ cert }) => ({ CERT_ACTIVE: "ok", CERT_EXPIRING_SOON: "warn" })[cert?.state] ?? "danger";
