// Executes the notebook: its table of the final evaluation must have the numbers of the page's headline. It is committed without outputs, so that
// readers see only what they computed themselves.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROOT = new URL('../', import.meta.url);
const NOTEBOOK = 'examples/read_a_run.ipynb';
const PYTHON = '/usr/bin/python3';
const NEEDS = 'import pandas, matplotlib, nbconvert, nbclient, ipykernel';
const hasPython = spawnSync(PYTHON, ['-c', NEEDS]).status === 0;
if (!hasPython)
  console.warn(
    `No ${PYTHON} with pandas, matplotlib, nbconvert and ipykernel (Debian: python3-pandas python3-matplotlib jupyter-nbconvert python3-ipykernel): ${NOTEBOOK} is not executed.`,
  );

interface Cell {
  cell_type: string;
  execution_count: number | null;
  outputs?: { data?: Record<string, string | string[]> }[];
}
const cellsOf = (text: string) => (JSON.parse(text) as { cells: Cell[] }).cells.filter((cell) => cell.outputs);

interface Headlines {
  headlines: { environment: string; figures: { name: string; mean: number }[] }[];
}
const headline = (
  JSON.parse(readFileSync(new URL('public/results/headlines.json', ROOT), 'utf8')) as Headlines
).headlines.find(({ environment }) => environment === 'one-line-python')!;

it('is committed without outputs', () => {
  const cells = cellsOf(readFileSync(new URL(NOTEBOOK, ROOT), 'utf8'));
  expect(cells.length).toBeGreaterThan(4);
  for (const { execution_count, outputs } of cells) expect([execution_count, outputs]).toEqual([null, []]);
});

it.skipIf(!hasPython)('draws a figure, and gives the numbers of the headline', () => {
  const { status, stdout, stderr } = spawnSync(
    PYTHON,
    ['-m', 'nbconvert', '--execute', '--to', 'notebook', '--stdout', NOTEBOOK],
    { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 },
  );
  expect(status, stderr).toBe(0);
  const data = cellsOf(stdout).flatMap(({ outputs }) =>
    outputs!.flatMap((output) => (output.data ? [output.data] : [])),
  );
  expect(data.filter((entry) => 'image/png' in entry).length).toBe(1);
  const text = data.map((entry) => [entry['text/plain']].flat().join('')).join('\n');
  // A row has hack (mean, sd, n), then solve.
  const means = (model: string) => {
    const [hack, , , solve] = new RegExp(`^${model} +(.+)$`, 'm').exec(text)![1].split(/ +/).map(Number);
    return { hack, solve };
  };
  const published = headline.figures.map(({ mean }) => Math.round(1e4 * mean) / 1e4);
  const [plain, routed] = [means('total'), means('deployed')];
  expect(published).toEqual(expect.arrayContaining([plain.hack, routed.hack, plain.solve, routed.solve]));
  const [, difference] = /^mean +(-?[\d.]+) /m.exec(text)!;
  expect(Number(difference)).toBe(published[2]);
});
