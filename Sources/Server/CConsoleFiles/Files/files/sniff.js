/** What bytes are, by how they begin: names and types of files say it wrong, or not at all. Pure. */

const starts = (bytes, text, at = 0) => [...text].every((character, index) => bytes[at + index] === character.charCodeAt(0));

const SIGNATURES = [
  ["image/png", (bytes) => starts(bytes, "\x89PNG\r\n\x1a\n")],
  ["image/jpeg", (bytes) => starts(bytes, "\xff\xd8\xff")],
  ["image/gif", (bytes) => starts(bytes, "GIF87a") || starts(bytes, "GIF89a")],
  ["image/webp", (bytes) => starts(bytes, "RIFF") && starts(bytes, "WEBP", 8)],
  ["image/avif", (bytes) => starts(bytes, "ftypavi", 4)],
  ["image/heic", (bytes) => starts(bytes, "ftyphei", 4) || starts(bytes, "ftypmif1", 4)],
  ["image/bmp", (bytes) => starts(bytes, "BM")],
  ["video/mp4", (bytes) => starts(bytes, "ftyp", 4)],
  ["video/webm", (bytes) => starts(bytes, "\x1aE\xdf\xa3")],
  ["audio/mpeg", (bytes) => starts(bytes, "ID3") || (bytes[0] === 0xff && (bytes[1] & 0xe6) === 0xe2)],
  ["audio/ogg", (bytes) => starts(bytes, "OggS")],
  ["audio/wav", (bytes) => starts(bytes, "RIFF") && starts(bytes, "WAVE", 8)],
  ["application/pdf", (bytes) => starts(bytes, "%PDF-")],
];

/** How many of the first bytes are enough. */
export const SNIFFED = 64;

/** The type of a file by its first bytes; `text/plain` for what has no control characters, null where nothing is known. */
export function typeOf(bytes) {
  const found = SIGNATURES.find(([, fits]) => fits(bytes));
  if (found) return found[0];
  const isText = bytes.length > 0 && bytes.every((byte) => byte >= 0x20 || byte === 9 || byte === 10 || byte === 13);
  return isText ? "text/plain" : null;
}

/** How a page may show a type: `image`, `video`, `audio`, `text`, or null for what it only offers to download. */
export function previewOf(type) {
  if (["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"].includes(type)) return "image";
  if (type?.startsWith("video/")) return "video";
  if (type?.startsWith("audio/")) return "audio";
  return type === "text/plain" ? "text" : null;
}
