import assert from "node:assert/strict";
import { test } from "node:test";

import { correction, qrCode } from "../../Sources/Server/CConsoleFiles/Files/sign-in/qr.js";

// The bits of level M with each mask, and of version 7, as ISO/IEC 18004 lists them.
const FORMATS = ["101010000010010", "101000100100101", "101111001111100", "101101101001011", "100010111111001", "100000011001110", "100111110010111", "100101010100000"];
const MASKS = [(y, x) => (y + x) % 2, (y) => y % 2, (y, x) => x % 3, (y, x) => (y + x) % 3, (y, x) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2, (y, x) => ((y * x) % 2) + ((y * x) % 3), (y, x) => (((y * x) % 2) + ((y * x) % 3)) % 2, (y, x) => (((y + x) % 2) + ((y * x) % 3)) % 2];
const LENGTHS = { 21: [16], 25: [28], 29: [44], 33: [32, 32], 37: [43, 43], 41: [27, 27, 27, 27], 45: [31, 31, 31, 31], 49: [38, 38, 39, 39], 53: [36, 36, 36, 37, 37], 57: [43, 43, 43, 43, 44] };

test("code words of correction are those of the standard's example", () => {
  assert.deepEqual(correction([32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17], 10), [196, 35, 39, 119, 235, 215, 231, 226, 93, 23]);
});

/** Whether a module belongs to the patterns of a code of that size. */
function isPattern(x, y, size) {
  if ((x < 9 && y < 9) || (x >= size - 8 && y < 9) || (x < 9 && y >= size - 8) || x === 6 || y === 6) return true;
  if (size >= 45 && ((x < 6 && y >= size - 11) || (y < 6 && x >= size - 11))) return true;
  const last = size - 7;
  const centres = size === 21 ? [] : size < 45 ? [last] : [{ 45: 22, 49: 24, 53: 26, 57: 28 }[size], last];
  const all = size < 45 ? centres : [6, ...centres];
  return all.some((cy) => all.some((cx) => !(cx === 6 && cy === 6) && !(cx === 6 && cy === last) && !(cx === last && cy === 6) && Math.abs(cx - x) <= 2 && Math.abs(cy - y) <= 2));
}

/** Reads a code as a camera's program does, without mending what is wrong. */
function read(rows) {
  const size = rows.length;
  const format = [...Array(15).keys()].map((at) => rows[at < 6 ? at : at < 8 ? at + 1 : 8][at < 8 ? 8 : at === 8 ? 7 : 14 - at]).map(Number).reverse().join("");
  const mask = FORMATS.indexOf(format);
  assert.ok(mask >= 0, format);
  const bits = [];
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      const y = isUp ? size - 1 - step : step;
      for (const x of [right, right - 1]) if (!isPattern(x, y, size)) bits.push(Number(rows[y][x]) ^ Number(MASKS[mask](y, x) === 0));
    }
  }
  const words = bits.join("").match(/.{8}/g).map((word) => parseInt(word, 2));
  const lengths = LENGTHS[size];
  const blocks = lengths.map(() => []);
  for (let at = 0; at < Math.max(...lengths); at += 1) lengths.forEach((length, index) => { if (at < length) blocks[index].push(words.shift()); });
  const count = words.length / lengths.length;
  blocks.forEach((block, index) => assert.deepEqual(correction(block, count), words.filter((_, at) => at % lengths.length === index), `block ${index}`));
  const data = blocks.flat().map((word) => word.toString(2).padStart(8, "0")).join("");
  assert.equal(data.slice(0, 4), "0100");
  const width = size < 57 ? 8 : 16;
  const length = parseInt(data.slice(4, 4 + width), 2);
  return new TextDecoder().decode(Uint8Array.from(data.slice(4 + width).match(/.{8}/g).slice(0, length), (word) => parseInt(word, 2)));
}

test("a code of any length reads as its text", () => {
  for (const length of [1, 14, 15, 26, 42, 62, 84, 100, 106, 122, 152, 180, 181, 213]) {
    const text = "otpauth://totp/é?".repeat(20).slice(0, length - Math.floor(length / 17) - (length >= 16 ? 1 : 0));
    assert.equal(read(qrCode(text)), text, `${length}`);
  }
  assert.throws(() => qrCode("x".repeat(214)), RangeError);
});

test("a code of version 7 says so", () => {
  const rows = qrCode("x".repeat(122));
  assert.equal(rows.length, 45);
  const bits = [...Array(18).keys()].map((at) => Number(rows[Math.floor(at / 3)][45 - 11 + (at % 3)])).reverse().join("");
  assert.equal(bits, "000111110010010100");
});
