import { instant, textOr } from "../base/ui.js";

/** What a user is called: the first of address, number, name, uid. */
export const nameOf = (user) => user.email || user.phoneNumber || user.displayName || user.localId;

/** What people call a provider; one that the project named itself has its id. */
export const providerName = (id) => textOr(`provider.${id}`, id);

export const dateOf = (milliseconds) => (milliseconds && milliseconds !== "0" ? instant(Number(milliseconds)) : "–");
