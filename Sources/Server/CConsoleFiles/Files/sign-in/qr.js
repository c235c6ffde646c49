/**
 * A text as a QR code, for the address that authenticator programs read. Pure.
 *
 * Bytes at error correction level M, versions 1 to 10: up to 213 bytes. ISO/IEC 18004.
 */

/** By version: code words of correction in a block, then blocks of so many code words of data each. */
const BLOCKS = [null, [10, [16]], [16, [28]], [26, [44]], [18, [32, 32]], [24, [43, 43]], [16, [27, 27, 27, 27]], [18, [31, 31, 31, 31]], [22, [38, 38, 39, 39]], [22, [36, 36, 36, 37, 37]], [26, [43, 43, 43, 43, 44]]];
const ALIGNMENT = [null, [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

// Arithmetic in GF(256) by the powers of two.
const [EXP, LOG] = [new Uint8Array(510), new Uint8Array(256)];
for (let power = 0, value = 1; power < 255; power += 1) {
  EXP[power] = EXP[power + 255] = value;
  LOG[value] = power;
  value = (value << 1) ^ (value & 128 ? 0x11d : 0);
}

/** The code words of correction of a block. */
export function correction(data, count) {
  let generator = [1];
  for (let power = 0; power < count; power += 1) {
    generator = [...generator, 0].map((one, at) => one ^ (at > 0 && generator[at - 1] ? EXP[LOG[generator[at - 1]] + power] : 0));
  }
  const rest = [...data, ...new Array(count).fill(0)];
  for (let at = 0; at < data.length; at += 1) {
    const factor = rest[at];
    if (factor) generator.forEach((one, index) => { rest[at + index] ^= one ? EXP[LOG[one] + LOG[factor]] : 0; });
  }
  return rest.slice(data.length);
}

/** The code words of a text: its bytes in blocks, which take turns, then those of correction. */
function codeWords(bytes, version) {
  const [count, lengths] = BLOCKS[version];
  const bits = [[4, 4], [bytes.length, version < 10 ? 8 : 16], ...[...bytes].map((byte) => [byte, 8])].map(([value, width]) => value.toString(2).padStart(width, "0")).join("");
  const capacity = sum(lengths) * 8;
  const padded = (bits + "0000").slice(0, capacity).padEnd(Math.ceil(Math.min(bits.length + 4, capacity) / 8) * 8, "0");
  const words = padded.match(/.{8}/g).map((word) => parseInt(word, 2));
  for (let filler = 0xec; words.length < sum(lengths); filler ^= 0xec ^ 0x11) words.push(filler);
  const blocks = lengths.map((length) => words.splice(0, length));
  const turns = (parts) => Array.from({ length: Math.max(...parts.map((part) => part.length)) }, (_, at) => parts.filter((part) => at < part.length).map((part) => part[at])).flat();
  return [...turns(blocks), ...turns(blocks.map((block) => correction(block, count)))];
}

/** The rows of a code: true where it is dark. Throws `RangeError` for a text that is too long. */
export function qrCode(text) {
  const bytes = new TextEncoder().encode(text);
  const version = BLOCKS.findIndex((one, at) => one && sum(one[1]) >= bytes.length + (at < 10 ? 2 : 3));
  if (version < 0) throw new RangeError("too long for a QR code");
  const words = codeWords(bytes, version);
  const candidates = MASKS.map((mask, number) => drawn(version, words, mask, number));
  const penalties = candidates.map(penalty);
  return candidates[penalties.indexOf(Math.min(...penalties))];
}

const MASKS = [
  (x, y) => (x + y) % 2 === 0, (x, y) => y % 2 === 0, (x) => x % 3 === 0, (x, y) => (x + y) % 3 === 0, (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0, (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** A number with the rest of its division by a polynomial behind it. */
function withRest(value, polynomial, width) {
  let rest = value << width;
  for (let bit = 31 - Math.clz32(rest); bit >= width; bit = 31 - Math.clz32(rest)) rest ^= polynomial << (bit - width);
  return (value << width) | rest;
}

function drawn(version, words, mask, number) {
  const size = 17 + 4 * version;
  const rows = Array.from({ length: size }, () => new Array(size).fill(null));
  const set = (x, y, isDark) => { if (x >= 0 && y >= 0 && x < size && y < size) rows[y][x] = isDark; };
  drawPatterns(version, size, rows, set);
  drawFormat(size, set, number);
  if (version >= 7) drawVersion(version, size, set);
  fill(size, rows, words, mask);
  return rows;
}

function drawPatterns(version, size, rows, set) {
  for (const [left, top] of [[0, 0], [size - 7, 0], [0, size - 7]]) {
    for (let y = -1; y <= 7; y += 1) for (let x = -1; x <= 7; x += 1) set(left + x, top + y, Math.max(Math.abs(x - 3), Math.abs(y - 3)) !== 2 && x >= 0 && y >= 0 && x <= 6 && y <= 6);
  }
  for (const y of ALIGNMENT[version]) {
    for (const x of ALIGNMENT[version]) {
      if (rows[y][x] !== null) continue;
      for (let dy = -2; dy <= 2; dy += 1) for (let dx = -2; dx <= 2; dx += 1) set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
    }
  }
  for (let at = 8; at < size - 8; at += 1) {
    set(at, 6, at % 2 === 0);
    set(6, at, at % 2 === 0);
  }
}

/** The level and the mask, twice. */
function drawFormat(size, set, number) {
  const bits = withRest(number, 0x537, 10) ^ 0x5412;
  const bit = (at) => ((bits >> at) & 1) === 1;
  for (let at = 0; at < 15; at += 1) {
    set(8, at < 6 ? at : at < 8 ? at + 1 : size - 15 + at, bit(at));
    set(at < 8 ? size - 1 - at : at === 8 ? 7 : 14 - at, 8, bit(at));
  }
  set(8, size - 8, true);
}

function drawVersion(version, size, set) {
  const bits = withRest(version, 0x1f25, 12);
  for (let at = 0; at < 18; at += 1) {
    const isDark = ((bits >> at) & 1) === 1;
    set(Math.floor(at / 3), size - 11 + (at % 3), isDark);
    set(size - 11 + (at % 3), Math.floor(at / 3), isDark);
  }
}

/** The code words from the lower right corner, in columns of two, up and down. */
function fill(size, rows, words, mask) {
  let at = 0;
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right -= 1;
    for (let step = 0; step < size; step += 1) {
      const y = isUp ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (rows[y][x] !== null) continue;
        rows[y][x] = (((words[at >> 3] ?? 0) >> (7 - (at & 7))) & 1) === 1 !== mask(x, y);
        at += 1;
      }
    }
    isUp = !isUp;
  }
}

/** How hard a code is to read: long runs, squares, what looks like a corner, too much of one colour. */
function penalty(rows) {
  const size = rows.length;
  const lines = [...rows, ...rows.map((_, x) => rows.map((row) => row[x]))].map((line) => line.map(Number).join(""));
  const runs = sum(lines.flatMap((line) => (line.match(/0{5,}|1{5,}/g) ?? []).map((run) => run.length - 2)));
  const corners = sum(lines.map((line) => [...line.matchAll(/(?=10111010000|00001011101)/g)].length * 40));
  let squares = 0;
  for (let y = 1; y < size; y += 1) for (let x = 1; x < size; x += 1) if (rows[y][x] === rows[y - 1][x] && rows[y][x] === rows[y][x - 1] && rows[y][x] === rows[y - 1][x - 1]) squares += 3;
  const dark = sum(rows.flat().map(Number)) / (size * size);
  return runs + corners + squares + Math.floor(Math.abs(dark - 0.5) * 20) * 10;
}
