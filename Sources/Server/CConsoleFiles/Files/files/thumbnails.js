import { h, icon, onCleanup, show } from "../base/ui.js";
import { previewOf } from "./sniff.js";
import { download } from "./store.js";

/**
 * Small pictures of files, by what their bytes are: of those in sight, a few at a time, none beyond two megabytes.
 *
 * Ends, with what it holds, when the current scope does.
 */

const MOST_BYTES = 2 << 20;
const MOST_AT_ONCE = 4;

export function thumbnails(bucket) {
  const waiting = new Set();
  const addresses = new Map();
  const stop = new AbortController();
  let running = 0;
  const sight = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) waiting.add(target);
      else waiting.delete(target);
    }
    next();
  });
  const next = () => {
    for (const element of waiting) {
      if (running >= MOST_AT_ONCE) return;
      waiting.delete(element);
      sight.unobserve(element);
      running += 1;
      draw(element).catch(() => {}).finally(() => { running -= 1; next(); });
    }
  };
  const draw = async (element) => {
    const key = element.dataset.key;
    if (!addresses.has(key)) {
      const { blob, type } = await download(bucket, element.dataset.name, { signal: stop.signal });
      addresses.set(key, previewOf(type) === "image" ? URL.createObjectURL(new Blob([blob], { type })) : null);
    }
    const address = addresses.get(key);
    if (address) show(element, h("img", { src: address, alt: "", loading: "lazy" }));
  };
  onCleanup(() => {
    stop.abort();
    sight.disconnect();
    for (const address of addresses.values()) if (address) URL.revokeObjectURL(address);
  });
  return (file) => {
    const element = h("span.thumbnail", { data: { key: `${file.name} ${file.generation}`, name: file.name } }, icon("file"));
    const mayBeImage = !file.contentType || file.contentType.startsWith("image/") || file.contentType === "application/octet-stream";
    if (mayBeImage && Number(file.size) <= MOST_BYTES && Number(file.size) > 0) sight.observe(element);
    return element;
  };
}
