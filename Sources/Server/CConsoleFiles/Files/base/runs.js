/** The parts of a line: runs of numbers, as columns with their values; there is no line over what is not known. Pure. */
export function runsOf(values) {
  const runs = [];
  values.forEach((value, at) => {
    if (value === null) return;
    if (at > 0 && values[at - 1] !== null) runs.at(-1).push([at, value]);
    else runs.push([[at, value]]);
  });
  return runs;
}
