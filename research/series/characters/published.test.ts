// Compares docs/lab-book/characters.md with its published rows: the verdicts and their intervals, and all tables.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { updateTable } from '../../../src/cli/characters/tables.ts';
import type { GroupId } from '../../../src/environments/characters/task.ts';
import { estimateText } from '../../../src/experiments/characters/judging.ts';
import { isShort, type Leakage, leakageAt } from '../../../src/experiments/characters/leakage.ts';
import type { CurveRow } from '../../../src/experiments/characters/rows.ts';
import { judge, verdictText } from '../../../src/experiments/judge/rule.ts';
import { mean, sd } from '../../../src/stats/index.ts';
import { BASE_RULES, OTHER_BASES } from './bases.ts';
import { s1 } from './documents.ts';
import { ALL_ASKED } from './later.ts';
import { differenceOf, MATCHES, matched, READ } from './matched.ts';
import { S1 as S1_RULED } from './rules.ts';

const EFFECT = 0.3;
const read = (name: string) =>
  gunzipSync(readFileSync(`public/results/characters/${name}.jsonl.gz`))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as CurveRow);
/** Writes minus signs as hyphens, and drops the sign of a rounded zero. */
const plain = (text: string) => text.replaceAll('−', '-').replace(/-(\.0+)(?!\d)/g, '$1');
const page = plain(readFileSync('docs/lab-book/characters.md', 'utf8'));
const two = (value: number) => plain(value.toFixed(2).replace(/^(-?)0\./, '$1.'));
const GROUPS: readonly GroupId[] = ['near', 'far', 'other', 'noname', 'novel'];

const S1 = {
  s1: 'S1',
  's1-again': 'S1, again',
  ...Object.fromEntries(OTHER_BASES.map((one) => [one.file, `S1, ${one.name}`])),
};

it.each(Object.entries(S1))('%s has the verdict and the intervals of its rows', (file, name) => {
  const { estimates, moved } = s1(read(file));
  const verdict = verdictText(judge(S1_RULED.rule, estimates));
  const text = page.split('\n').find((line) => line.startsWith(`**${name}: ${verdict}.**`));
  for (const group of ['near', 'far', 'other'] as const) {
    const { mean, interval, n } = estimates[group];
    if (mean === null || !interval) continue;
    expect(text).toContain(`${group} ${two(mean)} [${two(interval.low)} ${two(interval.high)}], n ${n}`);
  }
  for (const { name: who, moved: by } of moved) expect(text).toContain(`${who} ${two(by)}`);
});

/** Whether S1 carries over from one base to another; open verdicts count as neither. */
function carriesOver(verdicts: readonly string[]): string {
  const decided = verdicts.filter((one) => !one.startsWith('open'));
  const failed = decided.filter((one) => one.startsWith('fails'));
  const open = `${verdicts.length - decided.length} of ${verdicts.length} bases open`;
  if (failed.length > 0) return `S1 does not carry over: it fails on ${failed.length}, ${open}`;
  return decided.length > 0 ? `S1 carries over, ${open}` : `whether S1 carries over is open, ${open}`;
}

it('states whether S1 carries over to other bases, for each rule by which they are chosen', () => {
  for (const rule of BASE_RULES) {
    const own = OTHER_BASES.filter(({ of }) => of.includes(rule));
    expect(page).toContain(
      carriesOver(own.map(({ file }) => verdictText(judge(S1_RULED.rule, s1(read(file)).estimates)))),
    );
  }
});

const MORE = OTHER_BASES.flatMap(({ more }) => (more ? [more.file] : []));
const PROJECTED = OTHER_BASES.flatMap(({ projected }) => (projected ? Object.values(projected) : []));
const TABLES = [
  ...Object.keys(S1),
  ...MORE,
  ...PROJECTED,
  'algorithm',
  'novelty',
  'novelty-again',
  'routed',
  'lora-again',
  'erased',
  'gates',
];
it.each(TABLES)('%s has its table', (name) => {
  const rows = read(name);
  const kindOf = ({ arm, model = '', pairSet = '' }: CurveRow) => `${arm} ${model} ${pairSet}`;
  for (const kind of new Set(rows.map(kindOf))) {
    const all = rows.filter((row) => kindOf(row) === kind).map((row) => leakageAt(row, EFFECT));
    const own = all.filter((one): one is Leakage => !isShort(one));
    if (own.length < 2) continue;
    const cells = GROUPS.map((group) => {
      const values = own.map(({ logit }) => logit[group]!);
      return `${two(mean(values)!)} ± ${two(sd(values)!)}`;
    });
    expect(page).toContain(`| ${own.length} of ${all.length} | ${cells.join(' | ')} |`);
  }
});

it.each(ALL_ASKED)('$id has the verdict and the main figures of its rows', ({ id, rows, rule, measure }) => {
  const { estimates, figures } = measure(rows.flatMap(read));
  expect(page).toContain(`**${id.replace(' ', ', ')}: ${verdictText(judge(rule, estimates))}.**`);
  for (const figure of figures.slice(0, 3).filter(({ mean }) => mean !== null))
    expect(page).toContain(plain(`${figure.name} ${estimateText(figure)}, n ${figure.n}`));
});

/** Results of the pilot that set the recipe, at ΔP .50: mean and sd over its characters for near, far and other. */
const PILOT: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  sdf: [pair(0, 0.05), pair(-0.04, 0.05), pair(0, 0.05)],
  none: [pair(0.66, 0.25), pair(0.57, 0.31), pair(0.19, 0.11)],
  rl_algorithm: [pair(0.95, 0.07), pair(1.01, 0.14), pair(0.79, 0.02)],
  sft: [pair(0.52, 0.13), pair(0.39, 0.07), pair(0.22, 0.14)],
};
function pair(mean: number, sd: number) {
  return [mean, sd] as const;
}

it('has a line for each set of characters that compares documents with RL, at equal tokens and at equal drift', () => {
  const lines = Object.entries(S1).flatMap(([file, name]) =>
    MATCHES.flatMap((by) => {
      const { pairs } = matched(read(file), ['sdf', 'none'], by);
      const effects = [pairs.map(({ one }) => one.effect), pairs.map(({ other }) => other.effect)];
      const differences = READ.map((group) => {
        const paired = differenceOf(pairs, group);
        return paired ? `${two(paired.mean)} [${two(paired.interval.low)} ${two(paired.interval.high)}]` : '–';
      });
      const shown = effects.map((values) => two(mean(values) ?? Number.NaN)).join(', ');
      return pairs.length < 2 ? [] : [`| ${name} | ${by} | ${pairs.length} | ${shown} | ${differences.join(' | ')} |`];
    }),
  );
  expect(lines.length).toBeGreaterThan(12);
  expect(lines.filter((line) => !page.includes(line))).toEqual([]);
});

it('has a line for each arm with the common part of its updates', () => {
  const lines = updateTable(read('updates'))
    .join('\n')
    .split('\n')
    .filter((line) => / {2,}\d/.test(line))
    .map((line) => plain(`| ${line.trim().split(/ {2,}/).join(' | ')} |`));
  expect(lines).toHaveLength(6);
  expect(lines.filter((line) => !page.includes(line))).toEqual([]);
});

it('has the main table by base, with a star where the spread does not overlap the pilot’s', () => {
  const files = {
    'seed 1': 'novelty',
    ...Object.fromEntries(OTHER_BASES.flatMap((one) => (one.more ? [[one.name, one.more.file]] : []))),
  };
  for (const [base, file] of Object.entries(files)) {
    for (const [arm, cells] of Object.entries(PILOT)) {
      const all = read(file).filter((row) => row.arm === arm);
      const own = all.map((row) => leakageAt(row, EFFECT)).filter((one): one is Leakage => !isShort(one));
      if (own.length < 2) continue;
      const sentences = cells.map(([was, spread], i) => {
        const values = own.map(({ logit }) => logit[GROUPS[i]]!);
        const [now, around] = [mean(values)!, sd(values)!];
        return `${two(now)} ± ${two(around)}${Math.abs(now - was) <= spread + around ? '' : ' *'}`;
      });
      expect(page).toContain(`| ${base} | \`${arm}\` | ${own.length} of ${all.length} | ${sentences.join(' | ')} |`);
    }
  }
});

it('curves that were run again with the replay arms equal their earlier rows, and the page states their number', () => {
  for (const base of ['seed2-on', 'seed3-on']) {
    const before = [base, `${base}-more`, `${base}-again`].flatMap(read);
    // The earlier rows of RL and transcripts had no replay; those of documents replayed documents about others.
    const hasEarlierReplay = ({ arm, replay }: CurveRow) => replay === (arm === 'sdf' ? 'documents' : 'none');
    const pairs = read(`${base}-replay`)
      .filter(hasEarlierReplay)
      .flatMap((row) => {
        const old = before.find(({ arm, a, model }) => arm === row.arm && a.name === row.a.name && !model);
        return old && old.a.target === row.a.target ? [[row.curve, old.curve] as const] : [];
      });
    expect(page).toContain(`${pairs.length} curves of each had published rows`);
    for (const [row, old] of pairs) expect(row).toEqual(old);
  }
});
