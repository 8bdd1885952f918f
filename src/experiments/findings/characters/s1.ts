// S1, twice: does SDF leak less than RL of an existing dial, at the same effect on A? Rules and tables: docs/characters.md.
import type { GroupId } from '../../../environments/characters/groups.ts';
import { isShort, type Leakage, leakageAt } from '../../characters/leakage.ts';
import type { CurveRow } from '../../characters/rows.ts';
import { s1 } from '../../characters/verdicts.ts';
import { ARMS } from '../../spec/arms.ts';
import { type ArmName, parseExperimentSpec } from '../../spec/spec.ts';
import { dotsOf, lineOf, ofPairs, overSeeds, spreadOf, wordStanding, ZERO } from '../figures.ts';
import { shown, two } from '../numbers.ts';
import type { Figure, Judged, LabRun, Rows, Table, WorldQuestion } from '../types.ts';

/** ΔP of A at which leakage is read. */
const EFFECT = 0.3;
/** What the rows were made with, and do not say. */
const MADE = { steps: 40, checkpointEvery: 3, evalEvery: 0 } as const;
const UNIT = 'characters';
const GROUPS: readonly (readonly [GroupId, string])[] = [
  ['near', 'near'],
  ['far', 'far'],
  ['other', 'other'],
  ['noname', 'no name'],
  ['novel', 'novel name'],
];
const labelOf = (arm: string): string => (arm === 'none' ? 'RL of a dial' : ARMS[arm as ArmName].label);

/** The training behind a dose curve; the doses themselves are asked on the command line. */
export function runsOf(rows: readonly CurveRow[]): LabRun[] {
  const arms = [...new Set(rows.map(({ arm }) => arm))];
  return arms.flatMap((arm) =>
    rows
      .filter((row) => row.arm === arm)
      .map(({ character, seed, a }): LabRun => {
        const overrides = { environment: 'characters', character, ...MADE };
        const spec = parseExperimentSpec({ preset: 'demo', arms: [arm], seeds: [seed], overrides });
        return { group: labelOf(arm), name: a.name, spec, record: null };
      }),
  );
}

export const leakages = (rows: readonly CurveRow[], arm: string, effect = EFFECT) =>
  rows.filter((row) => row.arm === arm).map((row) => leakageAt(row, effect));
export const reached = (all: readonly ReturnType<typeof leakageAt>[]): Leakage[] =>
  all.filter((one): one is Leakage => !isShort(one));

export function leakageTable(rows: readonly CurveRow[]): Table {
  const arms = [...new Set(rows.map(({ arm }) => arm))];
  return {
    title: `Log-odds leakage (Δlogit of the group / Δlogit of A) where ΔP of A is ${two(EFFECT)}; mean ± sd over characters`,
    head: ['arm', 'n', ...GROUPS.map(([, label]) => label)],
    rows: arms.map((arm) => {
      const all = leakages(rows, arm);
      const own = reached(all);
      return [
        labelOf(arm),
        `${own.length} of ${all.length}`,
        ...GROUPS.map(([group]) =>
          spreadOf(
            own.flatMap(({ logit }) => logit[group] ?? []),
            two,
          ),
        ),
      ];
    }),
  };
}

/** Every character's leakage, by arm and group. */
function leakageDots(rows: readonly CurveRow[]) {
  const figures = GROUPS.flatMap(([group, label]) =>
    ['sdf', 'none'].map((arm): [string, Figure] => {
      const own = reached(leakages(rows, arm));
      const values = own.flatMap(({ row, logit }) =>
        logit[group] === undefined ? [] : [{ of: row.a.name, value: logit[group] }],
      );
      const figure = overSeeds(
        `${label}: ${labelOf(arm)}`,
        [],
        values.map(({ value }) => value),
      );
      return [arm, { ...figure, each: values }];
    }),
  );
  return figures.flatMap(([arm, figure]) => dotsOf([figure], () => arm));
}

function judged(rows: Rows, file: string, name: string): Judged {
  const all = rows.lines<CurveRow>(file);
  const { verdict, groups, short, moved } = s1(all, EFFECT);
  const figures = groups.map(({ group, pairs, paired }) =>
    ofPairs(
      `RL − SDF, ${group}`,
      pairs.map(({ name, difference }) => ({ of: name, value: difference })),
      paired,
    ),
  );
  // How many there are stands in the rule's word.
  const isTooFew = verdict.startsWith('open: ') && verdict.includes(' characters of ');
  const said = short.map(({ arm, name, most }) => `${name} under ${labelOf(arm)} (ΔP ${two(most)})`);
  const placebos = moved.map(({ arm, name, moved }) => `${labelOf(arm)} on ${name} (ΔP ${two(moved)})`);
  return {
    standing: wordStanding(verdict),
    word: isTooFew ? 'open: too few' : verdict,
    verdict: lineOf(figures, { show: two, unit: UNIT }),
    beside: [
      ...(isTooFew ? [`By the rule ${verdict}.`] : []),
      ...(said.length > 0 ? [`Never has the effect, and is left out: ${said.join(', ')}.`] : []),
      ...(placebos.length > 0 ? [`A placebo moves the target: ${placebos.join(', ')}.`] : []),
    ],
    n: figures[0].n,
    figures,
    tables: [leakageTable(all)],
    chart: {
      kind: 'dots',
      title: 'Log-odds leakage by group, a dot a character',
      x: 'Δlogit of the group / Δlogit of A',
      bounds: [ZERO, { at: 1, label: 'as A' }],
      rows: leakageDots(all),
    },
    runs: runsOf(all),
    inDocs: [
      `**${name}: ${verdict}.**`,
      ...figures.map((figure, i) => `${groups[i].group} ${shown(figure, two)}, n ${figure.n}`),
    ],
  };
}

const ask = (characters: string, arms: string, file: string): string[] => [
  `npm run lab -- characters --arms ${arms} --characters ${characters} --out FILE`,
  `npm run lab -- characters --rows public/results/${file}`,
];
const COMMON = {
  hypothesis:
    'At the same effect on A (ΔP .30), RL of an existing dial changes characters near A more than documents about A (SDF) do, in log-odds leakage.',
  falsified: 'An interval of RL − SDF below 0, or within ± .10 of it.',
  rule: 'Holds: at least 6 characters have the effect under both arms, the interval of “near” lies above 0, the mean of “far” is above 0, and placebo documents move no A by more than .10 (else: in part). Fails: the interval lies below 0, or within ± .10 of it. Open: fewer characters, or an interval with 0 in it.',
  unit: UNIT,
  says: {
    holds: 'Documents about one character leak less to others than RL on it, at the same effect.',
    'in part: placebo documents move A too': 'RL leaks more than documents, and placebo documents move A too.',
    'fails: no difference': 'Documents and RL leak alike.',
    'fails: SDF leaks more': 'Documents leak more than RL.',
    'open: the interval has 0': 'Whether documents leak less than RL is open.',
    'open: too few': 'Whether documents leak less than RL is open: too few characters have the effect under both.',
  },
  section: 'Results',
  runsNote:
    'What opens here is the training behind a dose curve; the doses are asked on the command line (probes on items that no arm trained on).',
};

const FILES = { first: 'characters/s1.jsonl.gz', again: 'characters/s1-again.jsonl.gz' } as const;

const S1: WorldQuestion = {
  ...COMMON,
  id: 'S1',
  title: 'Do documents about one character leak less than RL on it?',
  caveat:
    'Matched on A’s effect, not on tokens or KL. One world, one base, one run seed a character; on a base that was trained for longer, documents did not move behaviour at all (pilot).',
  files: [FILES.first],
  commands: ask('0,1,2,3,4,5', 'sdf,none,sdf_placebo,rl_random', FILES.first),
  judge: (rows) => judged(rows, FILES.first, 'S1'),
};

const S1_AGAIN: WorldQuestion = {
  ...COMMON,
  id: 'S1-again',
  title: 'The same on eight other characters, with the same rule',
  caveat:
    'Written down after S1 came out open for want of a sixth character, and before these runs; the two sets are judged apart and never pooled. Same base, same world; random reward was not run on these.',
  files: [FILES.again],
  commands: ask('6,7,8,9,10,11,14,15', 'sdf,none,sdf_placebo', FILES.again),
  judge: (rows) => judged(rows, FILES.again, 'S1, again'),
};

export const DOCUMENTS = [S1, S1_AGAIN];
