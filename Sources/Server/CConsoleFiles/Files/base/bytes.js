import { language } from "./i18n.js";

/** Numbers of bytes as people read them. */

/** A number of bytes as people read it: `1.5 MB`. */
export function sizeText(bytes, format) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  let value = Number(bytes);
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return format(value, units[unit]);
}

/** A number of bytes in the person's language. */
export const bytesText = (bytes) => sizeText(bytes, (value, unit) => new Intl.NumberFormat(language.peek(), { style: "unit", unit, maximumFractionDigits: 1 }).format(value));
