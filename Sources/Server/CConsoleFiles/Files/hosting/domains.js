import { copyable, teaching } from "../base/teaching.js";
import { bin, boxed, confirmed, dialog, field, form, h, input, instant, lead, loading, note, primary, session, show, stack, stateBadge, t, table } from "../base/ui.js";
import { certificateToneOf, idOf } from "./model.js";
import { connectDomain, domainsOf, remove } from "./store.js";

/** Names of its own that lead to a site, and the certificates that they are served with. */
export function domainsView({ site }) {
  const body = stack();
  const draw = () => show(body, loading(domainsOf(site), (domains) => (domains.length === 0 ? nothing() : table(["hosting.domain", "hosting.certificate", null], domains.map((one) => [
    h("a", { href: `https://${idOf(one)}/`, target: "_blank", rel: "noopener noreferrer" }, idOf(one)), certificateView(one), isOwner() ? h("div.acts", bin(t("hosting.disconnectOf", idOf(one)), () => disconnect(one, draw))) : null])))));
  const connect = () => dialog(t("hosting.connect"), (close) => domainForm(site, close)).then((isDone) => isDone && draw());
  draw();
  return stack(lead(isOwner() ? "hosting.domainsText" : "hosting.domainsOwner", isOwner() ? primary(t("hosting.connect"), connect) : null), body, certificates());
}

const COMMANDS = [
  "brasa serve --acme-directory /var/www/acme/.well-known/acme-challenge \\",
  "  --tls-directory /etc/letsencrypt/live \\",
  "  --tls-certificate server.pem --tls-key server-key.pem",
  "certbot certonly --webroot -w /var/www/acme -d shop.example.com",
].join("\n");

/** Host names are the server's: its owners connect them. */
const isOwner = () => session.peek().role === "owner";

const nothing = () => teaching("hosting", t("hosting.noDomain"), t("hosting.noDomainText"));

function certificateView({ cert, ...domain }) {
  const tone = certificateToneOf({ cert, ...domain });
  if (!cert) return stateBadge("danger", t("hosting.noCertificate"));
  return h("div.cell-name", stateBadge(tone, t(`certificate.${cert.state}`)), h("span.note", t("hosting.until", instant(cert.expireTime))));
}

const certificates = () => boxed(h("h2", t("hosting.certificates")), note(t("hosting.certificatesText")),
  copyable(COMMANDS, t("hosting.certificates")));

function domainForm(site, close) {
  const host = input("", { autofocus: true });
  const save = async () => {
    await connectDomain(site, host.value.trim().toLowerCase());
    return true;
  };
  return form(close, t("hosting.connect"), save, field("hosting.domain", host), note(t("hosting.dnsText", location.hostname)));
}

async function disconnect(domain, reload) {
  const host = idOf(domain);
  await confirmed(t("hosting.disconnectOf", host), t("hosting.disconnectText"), () => remove(domain), t("hosting.disconnected", host), t("hosting.disconnect"));
  reload();
}
