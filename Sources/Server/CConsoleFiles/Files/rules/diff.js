/** What differs between two texts, line by line. Pure. */

const MOST_CELLS = 4_000_000;

/** The lines of both: `{kind: "same" | "removed" | "added", text}`, in order. */
export function diffLines(before, after) {
  const [left, right] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < left.length - start && end < right.length - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const same = (text) => ({ kind: "same", text });
  return [
    ...left.slice(0, start).map(same),
    ...middle(left.slice(start, left.length - end), right.slice(start, right.length - end)),
    ...left.slice(left.length - end).map(same),
  ];
}

/** By the longest common subsequence; texts too long for it are told as replaced. */
function middle(left, right) {
  const removed = (text) => ({ kind: "removed", text });
  const added = (text) => ({ kind: "added", text });
  if (left.length * right.length > MOST_CELLS) return [...left.map(removed), ...right.map(added)];
  const width = right.length + 1;
  const common = new Uint32Array((left.length + 1) * width);
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      common[row * width + column] = left[row] === right[column]
        ? common[(row + 1) * width + column + 1] + 1
        : Math.max(common[(row + 1) * width + column], common[row * width + column + 1]);
    }
  }
  const lines = [];
  let [row, column] = [0, 0];
  while (row < left.length || column < right.length) {
    if (row < left.length && column < right.length && left[row] === right[column]) {
      lines.push({ kind: "same", text: left[row] });
      row += 1;
      column += 1;
    } else if (column >= right.length || (row < left.length && common[(row + 1) * width + column] >= common[row * width + column + 1])) {
      lines.push(removed(left[row]));
      row += 1;
    } else {
      lines.push(added(right[column]));
      column += 1;
    }
  }
  return lines;
}
