/** What bytes are, by how they begin: names and types of files say it wrong, or not at all. Pure. */

/** Whether bytes begin with a text; a point is any byte. */
const starts = (bytes, text) => [...text].every((character, at) => (character === "." ? at < bytes.length : bytes[at] === character.charCodeAt(0)));

const SIGNATURES = [
  ["image/png", "\x89PNG\r\n\x1a\n"], ["image/jpeg", "\xff\xd8\xff"], ["image/gif", "GIF87a"], ["image/gif", "GIF89a"], ["image/webp", "RIFF....WEBP"], ["image/avif", "....ftypavi"],
  ["image/heic", "....ftyphei"], ["image/heic", "....ftypmif1"], ["image/bmp", "BM"], ["video/mp4", "....ftyp"], ["video/webm", "\x1aE\xdf\xa3"],
  ["audio/mpeg", "ID3"], ["audio/ogg", "OggS"], ["audio/wav", "RIFF....WAVE"], ["application/pdf", "%PDF-"],
];
const isFrameOfMP3 = ([first, second]) => first === 0xff && (second & 0xe6) === 0xe2;

/** How many of the first bytes are enough. */
export const SNIFFED = 64;

/** The type of a file by its first bytes; `text/plain` for what has no control characters, null where nothing is known. */
export function typeOf(bytes) {
  const found = SIGNATURES.find(([, text]) => starts(bytes, text));
  if (found || isFrameOfMP3(bytes)) return found?.[0] ?? "audio/mpeg";
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
