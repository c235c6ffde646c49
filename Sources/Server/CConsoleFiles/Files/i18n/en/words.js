/** What the texts in English are made with. */

/** The form that goes with a number. */
export const plural = (count, one, other) => (new Intl.PluralRules("en").select(count) === "one" ? one : other);

/** A number as it is written. */
export const count = (value) => new Intl.NumberFormat("en").format(value);
