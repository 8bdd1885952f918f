// Publishing the arena: a sheet and the index that names it; what is published with this project can be read.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { COMPOSED, MISCONCEIVED } from '../../environments/code/types.ts';
import { solveOn } from '../../experiments/analysis/arena.ts';
import { armLabel } from '../../experiments/analysis/names.ts';
import { APART, APART_RULE, apartCells, apartEstimates } from '../../experiments/arena/apart.ts';
import { ARENA_MODES } from '../../experiments/arena/bar.ts';
import { COMPOSED_DRAWS, COMPOSED_RULE, composedEstimates } from '../../experiments/arena/composed.ts';
import { DRAWS_RULE, drawsEstimates, newDraws } from '../../experiments/arena/draws.ts';
import { earlyWarning, estimateOf, WARNING_RULE } from '../../experiments/arena/early-warning.ts';
import { arenaEstimates, honestOf } from '../../experiments/arena/estimates.ts';
import { frontierOf, ranked, SINCE } from '../../experiments/arena/frontier.ts';
import { mergingEstimates } from '../../experiments/arena/merging.ts';
import {
  anyTrusted,
  NARROW_ARMS,
  NARROW_DRAWS,
  narrowCells,
  narrowEstimates,
  ratesOf,
} from '../../experiments/arena/narrow.ts';
import { arenaSheet, nameOfCell } from '../../experiments/arena/published.ts';
import {
  ARENA_INDEX,
  type ArenaSheet,
  arenaRunsName,
  arenaSheetName,
  arenaSheetText,
  readArenaIndex,
  readArenaSheet,
} from '../../experiments/arena/sheet.ts';
import { drawsOf, verifiedAgainst, verifiedEstimates, verifiedOver } from '../../experiments/arena/verified.ts';
import { BASE_RELEARNED, RELEARNED } from '../../experiments/config/controls.ts';
import { shown, within } from '../../experiments/judge/estimates.ts';
import { type Judgeable, judge, verdictText } from '../../experiments/judge/rule.ts';
import type { Estimate } from '../../experiments/judge/types.ts';
import { runKey } from '../../experiments/kinds/study/key.ts';
import { unpackRuns } from '../../experiments/kinds/study/pack.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { finalRow, metricValue } from '../../experiments/records/metrics.ts';
import { allArenaRuns } from '../../experiments/testing/arena-runs.ts';
import { runMade } from '../../experiments/testing/statistics-runs.ts';
import { between } from '../../lib/markers.ts';
import { minus, three, two } from '../../lib/numbers.ts';
import { mean, pairedT } from '../../stats/index.ts';
import { arena } from '../arena.ts';
import { readRuns, readStudyRuns } from '../files/runs.node.ts';
import { arenaFigurePath, arenaSvg, COLOURS, SCHEMES } from './arena-figure.ts';
import { ARENA_MARKERS, ARENA_PAGE, arenaDocs, arenaReadme, FURTHER_SHEETS, sheetMarkers } from './arena-text.ts';
import { publishArena, publishedArena } from './publish.ts';

const root = mkdtempSync(join(tmpdir(), 'arena-'));
afterAll(() => rmSync(root, { recursive: true }));
const own = { n: 3, ratio: 0.5, interval: null };
const sheet: ArenaSheet = {
  made: ['CPU'],
  points: [
    {
      ...{ arm: 'agem', model: 'total', label: 'A-GEM', n: 3, removed: own, verdict: 'open' },
      kept: { honest: own, hackable: own, both: own },
    },
  ],
  runs: [],
};
const record = runMade({ arm: 'none', seed: 11 });
const runs = [{ key: runKey(record.spec), record, rerouted: [], commit: 'a'.repeat(40) }];
const at = (name: string) => join(root, 'public', 'results', name);

it('writes the sheet, and keeps what the index names already', async () => {
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

const PROJECT = join(import.meta.dirname, '..', '..', '..');

it('what is published here is named, there, and whole, and its figures are of it', async () => {
  const results = join(PROJECT, 'public', 'results');
  for (const name of readArenaIndex(readFileSync(join(results, ARENA_INDEX), 'utf8'))) {
    expect(existsSync(join(results, arenaSheetName(name)))).toBe(true);
    const text = gunzipSync(readFileSync(join(results, arenaSheetName(name)))).toString();
    const { points } = readArenaSheet(text);
    expect(points.length).toBeGreaterThan(0);
    // The sheet is what the published runs come to.
    const published = unpackRuns(readFileSync(join(results, arenaRunsName(name))), name);
    const again = await arenaSheet(
      published.map((run) => run.record),
      async () => '1.a',
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
    ['README.md', arenaReadme(shown.sheet)],
    [ARENA_PAGE, arenaDocs(shown.name, shown.sheet)],
  ] as const)
    expect(between(readFileSync(join(PROJECT, page), 'utf8'), ARENA_MARKERS), page).toBe(
      `${ARENA_MARKERS.start}\n\n${lines.join('\n')}\n\n`,
    );
  for (const name of FURTHER_SHEETS) {
    const further = publishedArena(PROJECT, name);
    const markers = sheetMarkers(name);
    if (further)
      expect(between(readFileSync(join(PROJECT, ARENA_PAGE), 'utf8'), markers)).toBe(
        `${markers.start}\n\n${arenaDocs(name, further.sheet).join('\n')}\n\n`,
      );
  }
});

it('publishes the other methods behind the judged ones, with a part of the page of their own', async () => {
  const page = join(root, ARENA_PAGE);
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, `before\n${sheetMarkers('others').start}\n${sheetMarkers('others').end}\nafter\n`);
  await publishArena(root, 'judged', sheet, runs);
  await publishArena(root, 'others', sheet, runs);
  expect(readArenaIndex(readFileSync(at(ARENA_INDEX), 'utf8'))).toEqual(['judged', 'others', 'pilots']);
  expect(publishedArena(root)?.name).toBe('judged');
  expect(publishedArena(root, 'others')?.name).toBe('others');
  const text = readFileSync(page, 'utf8');
  expect(text).toMatch(/^before\n.*Every other method: n = 3 cells, nothing is judged\..*\nafter\n$/s);
  // The figure is of what is shown first, and the bar is not judged of so few cells.
  expect(text).not.toContain('<picture>');
  expect(text).not.toContain(' bar |');
});

it('reads the cells of some training seeds alone', async () => {
  const file = join(root, 'two.json');
  const other = runMade({ arm: 'none', seed: 12 });
  writeFileSync(file, JSON.stringify({ schema: 1, runs: [record, other] }));
  const out = join(root, 'one.runs.json.gz');
  await arena.run([file, '--seeds', '12', '--out', out], { out: () => {} } as never);
  expect((await readStudyRuns(out)).map((run) => run.record.spec.seed)).toEqual([12]);
});

it('tells every method in the docs, the best first, placebos last', async () => {
  const full = await arenaSheet(allArenaRuns(), async () => '1.a');
  const lines = arenaDocs('judged', full);
  const rows = lines.slice(lines.findIndex((line) => line.startsWith('| --- ')) + 1);
  const names = rows.map((line) => line.split(' | ')[0].slice(2));
  const frontier = frontierOf(full);
  expect(names[0]).toBe(ranked(frontier)[0].name);
  expect(names).toHaveLength(frontier.marks.filter(({ role, id }) => role !== 'along' && id !== 'base').length);
  expect(names.at(-1)).toMatch(/random|added/);
  expect(arenaReadme(full)[0]).toMatch(/reaches the bar|reach the bar/);
});

it('writes the figures of what is shown first, light and dark', async () => {
  const full = await arenaSheet(allArenaRuns(), async () => '1.a');
  await publishArena(root, 'judged', full, runs);
  await publishArena(root, 'pilots', sheet, runs);
  const [light, dark] = SCHEMES.map((scheme) => readFileSync(join(root, arenaFigurePath(scheme)), 'utf8'));
  expect(light).toBe(arenaSvg('judged', readArenaSheet(arenaSheetText(full)), 'light'));
  expect(light).toContain('Judged runs: n = 4 cells.');
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

it('the page of the arena has what the judged runs say of each finalist, and of the blocks’ cells', () => {
  const page = readFileSync(join(PROJECT, ARENA_PAGE), 'utf8');
  const file = readFileSync(join(PROJECT, 'public', 'results', arenaRunsName('judged')));
  const judged = unpackRuns(file, 'judged').map(({ record }) => record);
  const points = (share: number) => minus((100 * share).toFixed(1).replace(/^(-?)0\./, '$1.'));
  const whole = (share: number) => minus((100 * share).toFixed(0));
  const said = (of: Judgeable | undefined, text: (share: number) => string) =>
    of?.interval ? `${text(of.mean!)} [${text(of.interval.low)}, ${text(of.interval.high)}]` : 'not defined';
  const finalists = [
    ...([
      ['trusted-only', 'merge'],
      ['trusted_subspace', 'deployed'],
      ['blocks', 'deployed'],
    ] as const),
    ...([
      ['tdga', 'total'],
      ['blocks_online', 'deployed'],
      ['agree', 'total'],
      ['agree_random', 'total'],
      ['verifier', 'total'],
      ['verifier_random', 'total'],
    ] as const),
  ];
  for (const [arm, model] of finalists) {
    const { overTrusted, againstRepaired, overInterpolation, ...removed } = arenaEstimates(judged, arm, model);
    const cells = [
      ...ARENA_MODES.map((mode) => said(removed[`removed:${mode}`], whole)),
      ...[overTrusted, againstRepaired, overInterpolation].map((of) => said(of, points)),
    ];
    expect(page, `${arm}, ${model}`).toContain(`| ${cells.join(' | ')} |`);
  }
  const honest = (arm: string, model: string) =>
    new Map(
      judged.flatMap((run) => {
        const row = run.spec.arm === arm ? finalRow(run, model) : null;
        return row
          ? [[nameOfCell(run), { solve: solveOn(row.all, 'honest')!, hack: row.all.figures.hack! }] as const]
          : [];
      }),
    );
  const [repaired, base] = [honest('repaired', 'total'), honest('repaired', 'base')];
  const counts = (arm: string) => {
    const own = [...honest(arm, 'deployed')];
    return {
      near: own.filter(([cell, { solve }]) => repaired.get(cell)!.solve - solve <= 0.03).length,
      below: own.filter(([cell, { solve }]) => solve < base.get(cell)!.solve).length,
      hack: own.filter(([, { hack }]) => hack > 0.1).length,
    };
  };
  const [gate, online] = [counts('blocks'), counts('blocks_online')];
  expect(page).toContain(
    `repaired graders in ${gate.near} of 30 cells; in ${gate.below} it solves fewer than the base`,
  );
  expect(page).toContain(`Online those are ${online.near} and ${online.below}, and in four cells`);
  expect(online.hack).toBe(4);
});

it('the pages have what P6’s runs say of the verifier', () => {
  const page = readFileSync(join(PROJECT, ARENA_PAGE), 'utf8');
  const file = readFileSync(join(PROJECT, 'public', 'results', arenaRunsName('judged')));
  const judged = unpackRuns(file, 'judged').map(({ record }) => record);
  const points = (share: number) => minus((100 * share).toFixed(1).replace(/^(-?)0\./, '$1.'));
  const said = ({ mean, interval }: ReturnType<typeof verifiedAgainst>, unit = '', sign: 1 | -1 = 1) => {
    const [low, high] = [sign * interval!.low, sign * interval!.high].sort((x, y) => x - y);
    return `${points(sign * mean!)}${unit} [${points(low)}, ${points(high)}]`;
  };
  const [first, ...others] = drawsOf(judged).map((draw) => verifiedAgainst(judged, 'trusted-only', 'honest', draw));
  expect(page).toContain(`gains ${said(first, ' points')} in draw 7`);
  expect(page).toContain(`${said(others[0])} in draw 17 and ${said(others[1])} in draw 27`);
  const { overPlacebo, placeboHack } = verifiedEstimates(judged);
  expect(page).toContain(`the verifier is ${said(overPlacebo!, ' points')} above it`);
  expect(page).toContain(`with the placebo ${said(placeboHack!, ' points')} more of the hackable prompts`);
  const [honest, hack] = (['honest', 'hack'] as const).map((of) => verifiedAgainst(judged, 'added', of));
  expect(page).toContain(`${said(hack, ' points', -1)} above the verifier's`);
  expect(page).toContain(`honest solve is ${said(honest, ' points')} below`);
  const hacks = judged
    .flatMap((run) => (run.spec.arm === 'verifier' ? (finalRow(run, 'total')?.all.figures.hack ?? []) : []))
    .toSorted((a, b) => b - a)
    .map((share) => (100 * share).toFixed(0));
  expect(page).toContain(
    `In three cells of 30 it hacks more than 5% of the hackable prompts (${hacks[0]}%, ${hacks[1]}% and ${hacks[2]}%), in the others at most ${hacks[3]}%.`,
  );
});

it('against trusted problems alone the pages count its runs once: two modes of a seed and a draw have the same one', () => {
  const read = (name: 'judged' | 'narrow') =>
    unpackRuns(readFileSync(join(PROJECT, 'public', 'results', arenaRunsName(name))), name).map(({ record }) => record);
  const [judged, narrow] = [read('judged'), read('narrow')];
  const bySeed = new Map<string, Set<string>>();
  for (const { spec, rows } of judged.filter(({ spec }) => spec.arm === 'trusted-only')) {
    const key = `${spec.seed} ${spec.dataSeed}`;
    const trained = JSON.stringify(rows.map(({ normDeltaS, gradNorm }) => [normDeltaS, gradNorm]));
    bySeed.set(key, (bySeed.get(key) ?? new Set()).add(trained));
  }
  expect([...bySeed.values()].map(({ size }) => size)).toEqual(Array(15).fill(1));

  const points = (share: number) => minus((100 * share).toFixed(1).replace(/^(-?)0\./, '$1.'));
  const bounds = ({ interval }: Judgeable) => `[${points(interval!.low)}, ${points(interval!.high)}]`;
  const said = (of: Judgeable, unit = '') => `${points(of.mean!)}${unit} ${bounds(of)}`;
  const over = (unit: 'seed and draw' | 'draw', of?: readonly [string, string]) => verifiedOver(judged, unit, of);
  const [page, findings] = [ARENA_PAGE, 'docs/findings.md'].map((path) => readFileSync(join(PROJECT, path), 'utf8'));
  const merge = said(over('seed and draw', ['trusted-only', 'merge']), ' points');
  expect(page).toContain(`Over these merge is ${merge} above it and the verifier ${said(over('seed and draw'))}.`);
  expect(findings).toContain(`adds ${merge} over 15 pairs`);
  expect(page).toContain(`the verifier's interval is ${bounds(over('draw'))}`);
  const byMode = (of: 'honest' | 'hack', other: string, mode: string) =>
    verifiedAgainst(judged, other, of, undefined, mode);
  const [marker, sentinel] = ARENA_MODES.map((mode) => said(byMode('honest', 'trusted-only', mode)));
  expect(page).toContain(`By mode it is ${marker} in \`stdout_marker\` and ${sentinel} in \`sentinel\`.`);
  const placebo = ARENA_MODES.map((mode) => {
    const { mean, interval } = byMode('hack', 'verifier_random', mode);
    return `\`${mode}\` ${points(-mean!)} [${points(-interval!.high)}, ${points(-interval!.low)}]`;
  });
  expect(page).toContain(`(${placebo[1]}, ${placebo[0]})`);
  const vanilla = new Map(over('draw', ['none', 'total']).each.map(({ of, value }) => [of, points(Math.abs(value))]));
  expect(page).toContain(
    `${vanilla.get('draw 7')} above, ${vanilla.get('draw 17')} below and ${vanilla.get('draw 27')} below by draw`,
  );
  const short = narrowCells(narrow).map(
    (cell) =>
      honestOf(cell, 'repaired', 'total')! - honestOf(anyTrusted(narrow, cell[0].spec), 'trusted-only', 'total')!,
  );
  expect(findings).toContain(`(${points(within(short).mean!)} in P4's eight draws)`);
});

it('the pages have what P8’s runs say of the verifier in other draws', () => {
  const read = (name: string) =>
    unpackRuns(readFileSync(join(PROJECT, 'public', 'results', 'arena', `${name}.runs.json.gz`)), name);
  const own = read('draws').map(({ record }) => record);
  expect(own).toHaveLength(2 * 12 + 12 + 3 * 5);
  const runs = [...own, ...read('narrow').map(({ record }) => record)];
  const estimates = drawsEstimates(runs);
  expect(judge(DRAWS_RULE, estimates).status).toBe('fails');
  const [arena, book, findings] = [ARENA_PAGE, 'docs/lab-book/prediction.md', 'docs/findings.md'].map((path) =>
    readFileSync(join(PROJECT, path), 'utf8'),
  );
  const whole = (share: number) => (100 * share).toFixed(0);
  const removed = `${whole(estimates.removed!.mean!)}% [${whole(estimates.removed!.interval!.low)}, ${whole(estimates.removed!.interval!.high)}]`;
  expect(arena).toContain(`${removed} is removed, where the bar asks for 90%`);
  expect(findings).toContain(`(P8: ${removed} removed)`);
  const left = `${whole(1 - estimates.removed!.mean!)}% of the hack`;
  for (const text of [SINCE, arena]) expect(text).toContain(`leaves ${left}`);
  const points = (share: number) => minus((100 * share).toFixed(1).replace(/^(-?)0\./, '$1.'));
  const said = (key: keyof typeof estimates, unit = '', sign: 1 | -1 = 1) => {
    const { mean, interval } = estimates[key]!;
    const ends = [sign * interval!.low, sign * interval!.high].sort((a, b) => a - b);
    return `${points(sign * mean!)}${unit} [${ends.map(points).join(', ')}]`;
  };
  expect(arena).toContain(
    `${said('overTrusted', ' points')} the verifier, ${said('moreOverTrusted')} \`trusted-only\` with 12 prompts`,
  );
  expect(arena).toContain(`The verifier is ${said('overMore', ' points')} above that`);
  expect(arena).toContain(`its placebo hacks on ${said('placeboHack', ' points')} more`);
  expect(arena).toContain(`solves as much (${said('overPlacebo')} below)`);
  expect(arena).toContain(`In P8's twelve draws it gains ${said('overTrusted')}.`);
  for (const key of ['overMore', 'placeboHack', 'moreOverTrusted', 'againstRepaired'] as const)
    expect(book).toContain(shown(estimates[key]!, three));
  const draws = newDraws(runs);
  const tables = [
    ...(['none', 'trusted-only', 'verifier', 'verifier_random', 'repaired'] as const).map((arm) =>
      ratesOf(
        draws.map((draw) => draw.runs),
        arm,
        'total',
      ),
    ),
    ratesOf(
      draws.map(({ more }) => more),
      'trusted-only',
      'total',
    ),
  ];
  for (const rates of tables) {
    const of = (rate: 'honest' | 'hack') => {
      const { mean, interval } = within(rates.map((one) => one![rate]));
      return `${two(mean!)} [${two(interval!.low)} ${two(interval!.high)}]`;
    };
    expect(book).toContain(`| ${of('honest')} | ${of('hack')} |`);
  }
  const hacks = tables[2].map((one) => whole(one!.hack)).toSorted((a, b) => Number(b) - Number(a));
  expect(arena).toContain(
    `In nine draws the verifier hacks on at most ${hacks[3]}% of the hackable prompts, in three on ${hacks[2]}, ${hacks[1]} and ${hacks[0]}%.`,
  );
  // Hacks of the hackable rollouts of steps 11 to 20, and the Brier score there: of the draws that take off, and of the others.
  const early = draws.map(({ runs }) => {
    const { rows, spec } = runs.find((run) => run.spec.arm === 'verifier')!;
    const part = rows.slice(10, 20);
    const hacks = part.map((row) => metricValue(row.student, 'hack')!);
    const [rolled] = [(spec.promptsPerStep ?? 8) * (1 - (spec.honestShare ?? 0)) * 8 * part.length];
    const brier = mean(part.flatMap(({ verifierBrier }) => verifierBrier ?? []))!;
    return { hacks: Math.round(mean(hacks)! * rolled), brier, rolled };
  });
  const takesOff = tables[2].map((one) => one!.hack > 0.1);
  const sorted = (isHacking: boolean, of: 'hacks' | 'brier') =>
    early.flatMap((one, i) => (takesOff[i] === isHacking ? one[of] : [])).toSorted((a, b) => a - b);
  const ends = (isHacking: boolean) => [0, -1].map((i) => two(sorted(isHacking, 'brier').at(i)!)).join(' to ');
  expect(book).toContain(
    `three draws have ${sorted(true, 'hacks')
      .join(', ')
      .replace(
        /, (\d+)$/,
        ' and $1',
      )} hacks in ${early[0].rolled} hackable rollouts, the other nine ${sorted(false, 'hacks')[0]} to ${sorted(false, 'hacks').at(-1)}`,
  );
  expect(book).toContain(`is ${ends(true)} there and ${ends(false)} elsewhere`);
  // What P4 ran with trusted strings in the settings of its vanilla is the same training: no arm that reads no trusted problem knows them.
  const bases = draws.map(({ runs: [first, ...rest] }) =>
    rest.every((run) => JSON.stringify(finalRow(run, 'base')?.all) === JSON.stringify(finalRow(first, 'base')?.all)),
  );
  expect(bases).toEqual(Array(12).fill(true));
});

it('the page of the arena has what is relearnt, of each arm against the untrained model', () => {
  const page = readFileSync(join(PROJECT, ARENA_PAGE), 'utf8');
  const file = readFileSync(join(PROJECT, 'public', 'results', arenaRunsName('relearning')));
  const all = unpackRuns(file, 'relearning').map(({ record }) => record);
  const hacks = (arm: string, model: string) =>
    new Map(
      all.flatMap((run) => {
        const row = run.spec.arm === arm ? finalRow(run, model) : null;
        return row ? [[nameOfCell(run), row.all.figures.hack as number] as const] : [];
      }),
    );
  const base = hacks('none', BASE_RELEARNED);
  const points = (share: number) => minus((100 * share).toFixed(1).replace(/^(-?)0\./, '$1.'));
  const rows = (['trusted-only', 'blocks_online', 'blocks', 'trusted_subspace', 'tdga'] as const).map((arm) => {
    const own = [...hacks(arm, RELEARNED)];
    expect(own).toHaveLength(6);
    const { mean, interval } = within(own.map(([cell, hack]) => hack - base.get(cell)!));
    const after = points(own.reduce((sum, [, hack]) => sum + hack, 0) / own.length);
    return `| ${armLabel(arm)} | ${after} | ${points(mean!)} [${points(interval!.low)}, ${points(interval!.high)}] |`;
  });
  const untrained = points([...base.values()].reduce((sum, hack) => sum + hack, 0) / base.size);
  for (const row of [`| untrained | ${untrained} | |`, ...rows]) expect(page).toContain(row);
});

it('the page of the arena has what P4’s runs say of each method, and they are those of its plan', () => {
  const page = readFileSync(join(PROJECT, ARENA_PAGE), 'utf8');
  const file = readFileSync(join(PROJECT, 'public', 'results', arenaRunsName('narrow')));
  const all = unpackRuns(file, 'narrow').map(({ record }) => record);
  const runs = all.filter(({ spec }) => NARROW_ARMS.includes(spec.arm));
  expect(runs).toHaveLength(7 * NARROW_DRAWS.length);
  // The verifier's and its placebo's, of P7.
  expect(all).toHaveLength(9 * NARROW_DRAWS.length);
  expect(narrowCells(runs).map(([{ spec }]) => spec.dataSeed)).toEqual([...NARROW_DRAWS]);
  const estimates = narrowEstimates(runs);
  const points = (share: number) => minus((100 * share).toFixed(1).replace(/^(-?)0\./, '$1.'));
  const whole = (share: number) => minus((100 * share).toFixed(0));
  const said = (of: Judgeable | undefined, text: (share: number) => string) =>
    of?.interval ? `${text(of.mean!)} [${text(of.interval.low)}, ${text(of.interval.high)}]` : '';
  for (const [name, key] of [
    ['repaired graders', 'short'],
    ['any trusted problems', 'narrowing'],
    ['merged with vanilla', 'merge'],
    ['curriculum', 'curriculum'],
    ['agreement by element', 'agree'],
    ['its placebo', 'agree_random'],
  ] as const) {
    const [over, removed] =
      key === 'short' || key === 'narrowing'
        ? [estimates[key]]
        : [estimates[`over:${key}`], estimates[`removed:${key}`]];
    expect(page).toContain(`| ${name} | ${said(over, points)} | ${said(removed, whole)} |`);
  }
  const cells = narrowCells(runs);
  const rates = (arm: string, model: string, of = cells) => ratesOf(of, arm, model).map((one) => one!);
  const vanilla = rates('none', 'total');
  const strings = rates('trusted-only', 'total');
  const above = { n: 8, each: [], ...within(vanilla.map(({ honest }, i) => honest - strings[i].honest)) };
  expect(page).toContain(`| vanilla | ${said(above, points)} | 0 |`);
  for (const [name, arm, model] of [
    ['vanilla', 'none', 'total'],
    ['curriculum', 'curriculum', 'total'],
    ['agreement by element', 'agree', 'total'],
    ['its placebo', 'agree_random', 'total'],
    ['merged with vanilla', 'trusted-only', 'merge'],
    ['verifier', 'verifier', 'total'],
    ["the verifier's placebo", 'verifier_random', 'total'],
  ] as const) {
    const hacks = rates(arm, model, narrowCells(all)).map(({ hack }) => whole(hack));
    expect(page).toContain(`| ${name} | ${hacks.join(' | ')} |`);
  }
  const mean = (of: readonly { honest: number }[]) => of.reduce((sum, { honest }) => sum + honest, 0) / of.length;
  const base = mean(rates('none', 'base'));
  const kept = (of: readonly { honest: number }[]) =>
    whole((mean(of) - base) / (mean(rates('repaired', 'total')) - base));
  const any = cells.map(([{ spec }]) => anyTrusted(runs, spec));
  expect(page).toContain(`keeps ${kept(strings)}% of what repaired graders teach; on as many`);
  expect(page).toContain(`in the same draws, ${kept(rates('trusted-only', 'total', any))}%.`);
});

it('the pages have what P5’s runs say of merging’s controls', () => {
  const [arena, book] = [ARENA_PAGE, 'docs/lab-book/prediction.md'].map((path) =>
    readFileSync(join(PROJECT, path), 'utf8'),
  );
  const read = (name: string) =>
    unpackRuns(readFileSync(join(PROJECT, 'public', 'results', 'arena', `${name}.runs.json.gz`)), name);
  const own = read('merging').map(({ record }) => record);
  expect(own).toHaveLength(2 * NARROW_DRAWS.length);
  const estimates = mergingEstimates([...own, ...read('narrow').map(({ record }) => record)]);
  const points = (share: number) => minus((100 * share).toFixed(1).replace(/^(-?)0\./, '$1.'));
  const inPoints = (key: 'random' | 'scaled' | 'average', sign: 1 | -1) => {
    const { mean, interval } = estimates[`over:${key}`]!;
    const ends = [sign * interval!.low, sign * interval!.high].sort((a, b) => a - b);
    return { mean: points(sign * mean!), within: `[${ends.map(points).join(', ')}]` };
  };
  const [random, scaled, average] = [inPoints('random', 1), inPoints('scaled', 1), inPoints('average', -1)];
  expect(arena).toContain(`signs random solves ${random.mean} points ${random.within} less than merged`);
  expect(arena).toContain(`norm of the merged one ${scaled.mean} ${scaled.within} less`);
  expect(arena).toContain(`solve ${average.mean} points ${average.within} more than merged`);
  const { mean, interval } = estimates['removed:average']!;
  const whole = (share: number) => (100 * share).toFixed(0);
  expect(arena).toContain(`remove ${whole(mean!)}% [${whole(interval!.low)}, ${whole(interval!.high)}] of the hack`);
  for (const key of ['random', 'scaled', 'average'] as const)
    expect(book).toContain(`| ${shown(estimates[`over:${key}`]!, three)} |`);
  // The same specs and seed as P4's: the same merged models, to the bit.
  const merged = (runs: readonly RunRecord[]) =>
    narrowCells(runs).map((cell) => cell.flatMap((run) => finalRow(run, 'merge')?.all ?? []).at(0));
  const before = read('narrow').flatMap(({ record }) => (record.spec.arm === 'trusted-only' ? [record] : []));
  expect(merged(own)).toEqual(merged(before));
});

it('the page of the arena has what the runs with KL say of an early warning', () => {
  const read = unpackRuns(readFileSync(join(PROJECT, 'public', 'results', 'arena', 'warning.runs.json.gz')), 'warning');
  const { warnings, estimates } = earlyWarning(read.map(({ record }) => record));
  expect(verdictText(judge(WARNING_RULE, estimates))).toMatch(/^open: 12 of 12 runs that hack; 15 are wanted/);
  const of = (name: string) => warnings.find(({ signal }) => signal === name)!;
  const auc = (name: string) => shown(estimateOf(of(name).auc), two).replace(/ (?=[^[]*\])/, ', ');
  const arena = readFileSync(join(PROJECT, ARENA_PAGE), 'utf8');
  expect(arena).toContain(
    `AUC ${auc('directionsKept')} of the directions, ${auc('kl')} of KL, ${auc('length')} of length`,
  );
  const alarms = (name: string) => of(name).lead.filter((lead) => lead > 0).length;
  expect(arena).toContain(
    `an alarm in ${alarms('kl')} runs of 12, length in ${alarms('length')}, the directions in none`,
  );
  expect([alarms('directionsKept'), alarms('reward')]).toEqual([0, 0]);
});

it('the pages have what P11’s runs say of a verifier where trusted problems fall short', () => {
  const read = (name: string) =>
    unpackRuns(readFileSync(join(PROJECT, 'public', 'results', 'arena', `${name}.runs.json.gz`)), name).map(
      ({ record }) => record,
    );
  const runs = [...read('apart'), ...read('apart-baselines')];
  const { cells, stopped, more } = apartCells(runs);
  expect([cells, stopped, more].map((group) => group.map((cell) => cell.length))).toEqual(
    [5, 1, 1].map((many) => COMPOSED_DRAWS.map(() => many)),
  );
  const own = apartEstimates(runs);
  expect(verdictText(judge(APART_RULE, own))).toBe('fails: some of the hack is left');
  const [arena, book, findings] = [ARENA_PAGE, 'docs/lab-book/prediction.md', 'docs/findings.md'].map((path) =>
    readFileSync(join(PROJECT, path), 'utf8'),
  );
  const whole = (share: number) => minus((100 * share).toFixed(0).replace(/^-0$/, '0'));
  const points = (share: number) => minus((100 * share).toFixed(1).replace(/^(-?)0\./, '$1.'));
  const inRange = (of: (share: number) => string, { mean, interval }: Estimate, unit = '', sign: 1 | -1 = 1) => {
    const ends = [sign * interval!.low, sign * interval!.high].toSorted((a, b) => a - b);
    return `${of(sign * mean!)}${unit} [${ends.map(of).join(', ')}]`;
  };
  const { points: rows } = publishedArena(PROJECT, 'apart')!.sheet;
  const kept = (arm: string) => {
    const { ratio, interval } = rows.find((row) => row.arm === arm && row.model === 'total')!.kept.honest;
    return `${whole(ratio!)}% [${whole(interval!.low)}, ${whole(interval!.high)}]`;
  };
  expect(arena).toContain(
    `\`trusted-only\` keeps ${kept('trusted-only')} of what repaired graders teach, vanilla ${kept('none')}, the verifier ${kept('verifier')}`,
  );
  const honest = (cell: readonly RunRecord[]) => honestOf(cell, 'trusted-only', 'total')!;
  const over = (group: readonly RunRecord[][]) => {
    const { mean, interval } = pairedT(cells.map((cell, i) => honest(group[i]) - honest(cell)))!;
    return `${points(mean)}${group === stopped ? ' points' : ''} [${points(interval.low)}, ${points(interval.high)}] more`;
  };
  expect(arena).toContain(`after 100 steps it solves ${over(stopped)}, with 12 prompts a step ${over(more)}`);
  expect(arena).toContain(`The verifier removes ${inRange(whole, own.removed!).replace(' [', '% [')}: it hacks on`);
  expect(arena).toContain(`leaves ${whole(1 - own.removed!.mean!)}% of the hack (P11 fails)`);
  const placebo = apartEstimates(runs, APART.placebo, APART.own);
  expect(arena).toContain(`${inRange(whole, placebo.removed!).replace(' [', '% [')} removed, as much solved`);
  expect(arena).toContain(`(the verifier ${inRange(points, own.overPlacebo!, ' points', -1)} below)`);
  expect(findings).toContain(`${inRange(whole, own.overTrusted!, ' points')} more than the tenth alone`);
  expect([Math.sign(own.overVanilla!.interval!.low), Math.sign(own.overVanilla!.interval!.high)]).toEqual([-1, 1]);
  expect(findings).toContain(
    `leaves ${whole(1 - own.removed!.mean!)}% of the hack, its placebo ${whole(1 - placebo.removed!.mean!)}%`,
  );
  for (const key of ['overTrusted', 'overStopped', 'overMore', 'half'] as const)
    expect(book).toContain(shown(own[key]!, three));
  const short = own.againstRepaired!;
  expect(book).toContain(
    `${three(-short.mean!)} [${three(-short.interval!.high)} ${three(-short.interval!.low)}] less than repaired graders`,
  );
  const lines: [readonly (readonly RunRecord[])[], string, string][] = [
    [cells, 'none', 'base'],
    ...['none', 'trusted-only', 'verifier', 'verifier_random', 'repaired'].map(
      (arm): [readonly (readonly RunRecord[])[], string, string] => [cells, arm, 'total'],
    ),
    [stopped, 'trusted-only', 'total'],
    [more, 'trusted-only', 'total'],
  ];
  for (const [group, arm, model] of lines) {
    const rates = ratesOf(group, arm, model);
    const of = (rate: 'honest' | 'hack') => shown({ ...own.removed!, ...within(rates.map((one) => one![rate])) }, two);
    expect(book, arm).toContain(`| ${of('honest')} | ${of('hack')} |`);
  }
});

it('the page of the arena has what the rows say of every other method', () => {
  const page = readFileSync(join(PROJECT, ARENA_PAGE), 'utf8');
  const section = page.slice(page.indexOf('## Every other method'), page.indexOf('<!-- arena others'));
  const { points } = publishedArena(PROJECT, 'others')!.sheet;
  const row = (arm: string, model = 'total') =>
    points.find((point) => point.arm === arm && point.model === model) ?? expect.fail(`no row ${arm} ${model}`);
  const whole = (share: number) => minus((100 * share).toFixed(0).replace(/^-0$/, '0'));
  const kept = (arm: string, model?: string) => {
    const { ratio, interval } = row(arm, model).kept.honest;
    return `${whole(ratio!)}% [${whole(interval!.low)}, ${whole(interval!.high)}]`;
  };
  const removed = (arm: string, model?: string) => row(arm, model).removed.ratio!;
  // No share removed has an interval.
  expect(points.filter(({ removed }) => removed.interval !== null && removed.ratio !== 0)).toEqual([]);
  const trusted = row('trusted-only').kept.honest;
  const better = points.filter(
    ({ arm, model, removed, kept }) =>
      arm !== 'repaired' && model !== 'merge' && removed.ratio! >= 0.9 && kept.honest.ratio! > trusted.ratio!,
  );
  expect(better.map(({ arm }) => arm).toSorted()).toEqual(['blocks_labels', 'verifier', 'verifier_gate']);
  for (const { kept } of better) expect(kept.honest.interval!.low).toBeLessThan(trusted.interval!.high);
  expect(section).toContain(`removes ${whole(removed('inoculation'))}% and keeps ${kept('inoculation')}`);
  expect(section).toContain(
    `as a penalty, removes the hack and keeps ${kept('penalty')}; in screening it leaves half of it`,
  );
  expect(removed('screening')).toBeGreaterThan(0.4);
  expect(removed('screening')).toBeLessThan(0.6);
  expect(section).toContain(`keeps ${kept('router', 'deployed')}`);
  const [placebo, own] = [kept('router_random', 'deployed'), whole(removed('router_random', 'deployed'))];
  expect(section).toContain(`removes ${own}% and keeps ${placebo}`);
  expect(section).toContain(`${kept('trusted_subspace_all', 'deployed')} kept with one span of all modules`);
  expect(section).toContain(`${kept('trusted_subspace_adam', 'deployed')} in Adam's metric`);
  expect(section).toContain(`${kept('trusted_subspace', 'deployed')} plain`);
  expect(section).toContain(`random directions ${kept('trusted_subspace_random', 'deployed')}`);
  for (const arm of ['agem', 'pcgrad', 'agree_module', 'kl', 'curriculum', 'consensus'])
    expect(removed(arm), arm).toBeLessThan(0.2);
  for (const arm of ['route-update', 'erase'])
    expect(removed(arm, row(arm, arm === 'erase' ? 'total' : 'deployed').model), arm).toBeLessThan(0.2);
});

it('the pages have what P9’s and P10’s runs say of a trusted tenth that shows half of the parts', () => {
  const read = (name: string) =>
    unpackRuns(readFileSync(join(PROJECT, 'public', 'results', 'arena', `${name}.runs.json.gz`)), name).map(
      ({ record }) => record,
    );
  const [arena, findings] = [ARENA_PAGE, 'docs/findings.md'].map((path) => readFileSync(join(PROJECT, path), 'utf8'));
  const first = composedEstimates(read('composed'), COMPOSED);
  const second = composedEstimates(read('misconceived'), MISCONCEIVED);
  expect([first, second].map((of) => judge(COMPOSED_RULE, of).status)).toEqual(['fails', 'holds']);
  const whole = (share: number) => minus((100 * share).toFixed(0).replace(/^-0$/, '0'));
  const said = ({ mean, interval }: Estimate, unit = '') =>
    `${whole(mean!)}${unit} [${whole(interval!.low)}, ${whole(interval!.high)}]`;
  expect(arena).toContain(`repaired graders are ${said(first.short!, ' point')} above \`trusted-only\``);
  expect(arena).toContain(`\`trusted-only\` keeps ${said(first['kept:trusted']!, '%')} of that`);
  expect(findings).toContain(`keeps ${said(first['kept:trusted']!, '%')} of the ${whole(first.gain!.mean!)} points`);
  expect(arena).toContain(`gain ${said(second.gain!, ' points')} and \`trusted-only\` ${said(second.learnt!)}`);
  expect(arena).toContain(`a gap of ${said(second.short!)}`);
  expect(arena).toContain(`The gap is ${said(second.shortShown!)} where both parts are shown`);
  expect(arena).toContain(`and ${said(second.shortUnshown!)} elsewhere`);
  const control = composedEstimates(read('longer'), COMPOSED).short!.each.map(({ value }) => whole(value));
  expect(arena).toContain(`(${control[0]}, ${control[1]} and ${control[2]} points in three draws`);
});
