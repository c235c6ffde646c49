/** Com que se fazem os textos em português. */

/** A forma que acompanha um número. */
export const plural = (count, one, other) => (new Intl.PluralRules("pt-BR").select(count) === "one" ? one : other);

/** Um número como se escreve. */
export const count = (value) => new Intl.NumberFormat("pt-BR").format(value);
