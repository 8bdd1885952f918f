// Tests publishing the arena, a sheet and the index that names it, and reading what is published with this project.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { runKey } from '../../../../src/experiments/runs/key.ts';
import { allArenaRuns } from '../../../../src/experiments/testing/arena-runs.ts';
import { runMade } from '../../../../src/experiments/testing/statistics-runs.ts';
import { frontierOf, ranked } from '../../../../src/findings/arena/frontier.ts';
import {
  ARENA_INDEX,
  type ArenaSheet,
  arenaRunsName,
  arenaSheetName,
  arenaSheetText,
  readArenaIndex,
  readArenaSheet,
} from '../../../../src/findings/arena/sheet.ts';
import { COLOURS, SCHEMES } from '../../../../src/lib/svg.ts';
import { arena } from '../../../commands/arena.ts';
import { textBetween } from '../../../judge/markers.ts';
import { unpackRuns } from '../../../judge/pack.ts';
import { evaluatedAgain, publishArena, publishedArena } from '../../../judge/publish.ts';
import { readRuns, readStudyRuns } from '../../../judge/runs.node.ts';
import { arenaFigurePath, arenaSvg } from './figure.ts';
import { arenaSheet } from './published.ts';
import { ARENA_MARKERS, ARENA_PAGE, arenaDocs, arenaReadme, FURTHER_SHEETS, sheetMarkers } from './text.ts';

const root = mkdtempSync(join(tmpdir(), 'arena-'));
afterAll(() => rmSync(root, { recursive: true }));
const own = { n: 3, ratio: 0.5, interval: null };
const sheet: ArenaSheet = {
  made: ['CPU'],
  points: [
    {
      arm: 'agem',
      model: 'total',
      label: 'A-GEM',
      n: 3,
      removed: own,
      verdict: 'open',
      kept: { honest: own, hackable: own, both: own },
    },
  ],
  runs: [],
};
const record = runMade({ arm: 'none', seed: 11 });
const runs = [{ key: runKey(record.spec), record, rerouted: [], commit: 'a'.repeat(40) }];
const at = (name: string) => join(root, 'public', 'results', name);

it('writes the sheet and keeps the index’s other entries', async () => {
  expect(await publishArena(root, 'pilots', sheet, runs)).toBe(at('arena/pilots.json.gz'));
  expect(gunzipSync(readFileSync(at('arena/pilots.json.gz'))).toString()).toBe(arenaSheetText(sheet));
  expect(readArenaIndex(readFileSync(at(ARENA_INDEX), 'utf8'))).toEqual(['pilots']);
  await publishArena(root, 'judged', sheet, runs);
  expect(readArenaIndex(readFileSync(at(ARENA_INDEX), 'utf8'))).toEqual(['judged', 'pilots']);
});

it('publishes the runs too, and reads them again beside what `run --json` writes', async () => {
  await publishArena(root, 'pilots', sheet, runs);
  const [packed] = await readStudyRuns(at(arenaRunsName('pilots')));
  expect(packed).toMatchObject({ key: runs[0].key, commit: runs[0].commit });
  expect(packed.record).toMatchObject({ rows: record.rows, evals: record.evals, createdAt: record.createdAt });
  const written = join(root, 'run.json');
  writeFileSync(written, JSON.stringify({ schema: 1, commit: runs[0].commit, runs: [record] }));
  expect(await readStudyRuns(written)).toEqual(runs);
  expect(await readRuns(written)).toEqual([record]);
  writeFileSync(written, JSON.stringify({ runs: [{ spec: {} }] }));
  await expect(readStudyRuns(written)).rejects.toThrow(/run\.json has no runs/);
});

it('publishes nothing where there is nothing', async () => {
  await expect(publishArena(root, 'pilots', { ...sheet, points: [] }, runs)).rejects.toThrow(/nothing to publish/);
});

const PROJECT = join(import.meta.dirname, '..', '..', '..', '..');

it('every published sheet is in the index, exists and is complete, and its figures are made from it', async () => {
  const results = join(PROJECT, 'public', 'results');
  for (const name of readArenaIndex(readFileSync(join(results, ARENA_INDEX), 'utf8'))) {
    expect(existsSync(join(results, arenaSheetName(name)))).toBe(true);
    const text = gunzipSync(readFileSync(join(results, arenaSheetName(name)))).toString();
    const { points } = readArenaSheet(text);
    expect(points.length).toBeGreaterThan(0);
    // The sheet must follow from the published runs.
    const published = unpackRuns(readFileSync(join(results, arenaRunsName(name))), name);
    const again = await arenaSheet(
      published.map((run) => run.record),
      async () => '1.a',
      evaluatedAgain(PROJECT, name),
    );
    expect(JSON.parse(JSON.stringify(again.points))).toEqual(points);
    for (const { commit } of published) expect(commit).toMatch(/^[0-9a-f]{40}$/);
  }
  const shown = publishedArena(PROJECT);
  for (const scheme of SCHEMES) {
    const path = join(PROJECT, arenaFigurePath(scheme));
    expect(existsSync(path)).toBe(shown !== null);
    if (shown) expect(readFileSync(path, 'utf8')).toBe(arenaSvg(shown.name, shown.sheet, scheme));
  }
  if (!shown) return;
  for (const [page, lines] of [
    ['README.md', arenaReadme(shown.sheet, publishedArena(PROJECT, 'apart')?.sheet ?? null)],
    [ARENA_PAGE, arenaDocs(shown.name, shown.sheet)],
  ] as const)
    expect(textBetween(readFileSync(join(PROJECT, page), 'utf8'), ARENA_MARKERS), page).toBe(
      `${ARENA_MARKERS.start}\n\n${lines.join('\n')}\n\n`,
    );
  for (const name of FURTHER_SHEETS) {
    const further = publishedArena(PROJECT, name);
    const markers = sheetMarkers(name);
    if (further)
      expect(textBetween(readFileSync(join(PROJECT, ARENA_PAGE), 'utf8'), markers)).toBe(
        `${markers.start}\n\n${arenaDocs(name, further.sheet).join('\n')}\n\n`,
      );
  }
});

it('publishes the other methods after the judged ones, in their own part of the page', async () => {
  const page = join(root, ARENA_PAGE);
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, `before\n${sheetMarkers('others').start}\n${sheetMarkers('others').end}\nafter\n`);
  await publishArena(root, 'judged', sheet, runs);
  await publishArena(root, 'others', sheet, runs);
  expect(readArenaIndex(readFileSync(at(ARENA_INDEX), 'utf8'))).toEqual(['judged', 'others', 'pilots']);
  expect(publishedArena(root)?.name).toBe('judged');
  expect(publishedArena(root, 'others')?.name).toBe('others');
  const text = readFileSync(page, 'utf8');
  expect(text).toMatch(/^before\n.*Every other method: n = 3 cells( of \d draws?)?, nothing is judged\..*\nafter\n$/s);
  // Only the first sheet has a figure, and the bar is not judged with so few cells.
  expect(text).not.toContain('<picture>');
  expect(text).not.toContain(' bar |');
});

it('can read only the cells of some training seeds', async () => {
  const file = join(root, 'two.json');
  const other = runMade({ arm: 'none', seed: 12 });
  writeFileSync(file, JSON.stringify({ schema: 1, runs: [record, other] }));
  const out = join(root, 'one.runs.json.gz');
  await arena.run([file, '--seeds', '12', '--out', out], { out: () => {} } as never);
  expect((await readStudyRuns(out)).map((run) => run.record.spec.seed)).toEqual([12]);
});

it('lists every method in the docs, the best first, placebos last', async () => {
  const full = await arenaSheet(allArenaRuns(), async () => '1.a');
  const lines = arenaDocs('judged', full);
  const rows = lines
    .slice(lines.findIndex((line) => line.startsWith('| --- ')) + 1)
    .filter((line) => line.startsWith('| '));
  const names = rows.map((line) => line.split(' | ')[0].slice(2));
  const frontier = frontierOf(full);
  expect(names[0]).toBe(ranked(frontier)[0].name);
  expect(names).toHaveLength(frontier.marks.filter(({ role, id }) => role !== 'along' && id !== 'base').length);
  expect(names.at(-1)).toMatch(/random|added/);
  expect(lines.at(-1)).toMatch(/^(Intervals are over|All cells are of one draw)/);
  expect(arenaReadme(full, null)[0]).toMatch(/reach(es)? \[the bar\]\(docs\/arena\.md#the-bar-fixed-before-the-runs\)/);
});

it('writes the figures of the first sheet, light and dark', async () => {
  const full = await arenaSheet(allArenaRuns(), async () => '1.a');
  await publishArena(root, 'judged', full, runs);
  await publishArena(root, 'pilots', sheet, runs);
  const [light, dark] = SCHEMES.map((scheme) => readFileSync(join(root, arenaFigurePath(scheme)), 'utf8'));
  expect(light).toBe(arenaSvg('judged', readArenaSheet(arenaSheetText(full)), 'light'));
  expect(light).toContain('Judged runs: n = 4 cells of ');
  expect(light).toContain('repaired graders');
  for (const text of [light, dark]) expect(text).not.toMatch(/var\(|undefined|NaN/);
  const grey = /#[0-9a-f]{6}/g;
  expect(dark.replace(grey, '')).toBe(light.replace(grey, ''));
  expect(dark).not.toBe(light);
});

it('has the page’s own colours', () => {
  const tokens = readFileSync(join(PROJECT, 'src/ui/styles/tokens.css'), 'utf8');
  for (const [name, [light, dark]] of Object.entries(COLOURS))
    expect(tokens).toContain(`--${name}: light-dark(${light}, ${dark});`);
});
