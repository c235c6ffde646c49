/** An id made of a name: "Minha Loja" is `minha-loja`. Pure. */
export const idOf = (name) => name.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^[^a-z]+|-+$/g, "").slice(0, 30).replace(/-+$/, "");
