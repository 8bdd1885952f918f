// The claim behind each environment's plain sentence, and the published rows that it comes from: baseline, arm, measure. Where a question
// of Findings judges the same comparison, the rows are that question's; headline-of.ts writes the sentence.

import { EFFECT } from '../../src/experiments/characters/judging.ts';
import { isShort, leakageAt } from '../../src/experiments/characters/leakage.ts';
import type { CurveRow } from '../../src/experiments/characters/rows.ts';
import { lastAt } from '../../src/experiments/exit/metrics.ts';
import { type ImproveRow, modelsOf, ofArm, ofWay } from '../../src/experiments/exit/rows.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import { finalMetric, finalRow } from '../../src/experiments/records/metrics.ts';
import type { EnvironmentHeadline } from '../../src/findings/headline.ts';
import { inOrder } from '../judge/question.ts';
import type { Rows } from '../judge/types.ts';
import { solveOf } from '../series/agents/estimates.ts';
import { FIVE } from '../series/exit/arms.ts';
import { runOfCell } from '../series/study/plan.ts';
import { QUESTIONS } from '../series/study/questions/index.ts';
import { type Claim, headlineOf, type UnitValues } from './headline-of.ts';

export interface HeadlineRows extends Rows {
  /** Published runs of the study, by key. */
  study(file: string): ReadonlyMap<string, RunRecord>;
}

interface Claimed extends Claim {
  read(rows: HeadlineRows): UnitValues[];
}

const SEEDS = 'training seeds';

/** A metric of a run's final evaluation. Throws RangeError if it was not measured: a sentence needs every row. */
export function final(run: RunRecord, model: string, metric: string): number {
  const value = finalMetric(run, model, metric);
  if (value === null) throw new RangeError(`${run.id}: no ${metric} of ${model}`);
  return value;
}

const ofArmBySeed = (runs: readonly RunRecord[], arm: string): RunRecord[] =>
  inOrder(runs.filter(({ spec }) => spec.arm === arm));

const named = ({ spec }: RunRecord): string => `seed ${spec.seed}`;

/** An arm's start and end per seed; `beside` is the other arm's end. Only seeds that both arms have. */
function besideOther(runs: readonly RunRecord[], arm: string, other: string, metric: string): UnitValues[] {
  const others = ofArmBySeed(runs, other);
  return ofArmBySeed(runs, arm).flatMap((run) => {
    const beside = others.find(({ spec }) => spec.seed === run.spec.seed);
    if (!beside) return [];
    const of = (model: string) => final(run, model, metric);
    return [{ of: named(run), from: of('base'), to: of('total'), beside: final(beside, 'total', metric) }];
  });
}

/** The training and the deployed model of each seed, at the demo's share of honest problems. */
const CODE: Claimed = {
  environment: 'one-line-python',
  asked: { series: 'study', question: 'Q18' },
  inDemo: { chart: 'hack', from: 'route-update/41', to: 'route-update/41/deployed' },
  unit: SEEDS,
  from: 'Trained with plain RL',
  to: 'With the cheat routed away',
  measure: ['the model cheats on', 'of the trick problems'],
  second: { more: 'it solves more', less: 'it solves less', open: 'solving' },
  read(rows) {
    const runs = rows.study('q18.json.gz');
    const cell = QUESTIONS.find(({ id }) => id === 'Q18')!.cells.find(({ id }) => id === 'vanilla@0.5')!;
    return cell.seeds.flatMap((seed) => {
      const run = runs.get(runOfCell(cell, seed).key);
      if (!run) return [];
      const of = (metric: string) => ({ from: final(run, 'total', metric), to: final(run, 'deployed', metric) });
      return [{ of: named(run), ...of('hack'), second: of('solve') }];
    });
  },
};

const ARITHMETIC: Claimed = {
  environment: 'arithmetic',
  asked: { series: 'cat', question: 'C2' },
  inDemo: { chart: 'solve', from: null, to: 'cat/41' },
  unit: SEEDS,
  from: 'Untrained',
  to: 'Paid for agreeing with its own synthesis, without labels',
  measure: ['the model solves', 'of the word problems'],
  beside: 'with labels',
  read: (rows) => besideOther(rows.runs('cat/training-2.json.gz'), 'cat', 'oracle', 'solve'),
};

const EXPLAIN: Claimed = {
  environment: 'explain',
  asked: { series: 'cat', question: 'C6a' },
  inDemo: { chart: 'score', from: null, to: 'rubric/41' },
  unit: SEEDS,
  from: 'Untrained',
  to: 'Paid by a rubric of its own synthesis',
  measure: ['the model’s texts meet', 'of the true criteria'],
  beside: 'paid by the truth',
  read: (rows) => besideOther(rows.runs('cat/explain.json.gz'), 'rubric', 'none', 'score'),
};

/** Number of revisions that E1 counts. */
const LAST = 16;

const CHAIN: Claimed = {
  environment: 'chain',
  asked: { series: 'exit', question: 'E1' },
  inDemo: { chart: 'q', from: 'none/41', to: 'exit/41' },
  unit: SEEDS,
  from: 'Trained with plain RL',
  to: 'Trained on single steps of improvement',
  measure: ['the model satisfies', `of the relations after ${LAST} revisions`],
  second: { more: 'its first answers satisfy more', less: 'its first answers satisfy fewer', open: 'first answers' },
  read(rows) {
    const models = modelsOf(FIVE.flatMap((file) => rows.lines<ImproveRow>(file)));
    const plain = ofArm(models, 'none');
    return ofArm(models, 'exit').flatMap((model) => {
      const other = plain.find(({ seed }) => seed === model.seed);
      if (!other) return [];
      const [one, two] = [other, model].map((each) => ofWay(each, 'sampled'));
      const at = (k: number) => ({ from: lastAt(one, k)!, to: lastAt(two, k)! });
      return [{ of: `seed ${model.seed}`, ...at(LAST), second: at(0) }];
    });
  },
};

const CHARACTERS: Claimed = {
  environment: 'characters',
  asked: { series: 'characters', question: 'S1-again' },
  // The demo trains one character for forty steps; its effect on near questions differs from that of seven characters.
  inDemo: null,
  unit: 'characters',
  from: 'When RL teaches one character',
  to: 'When documents teach it the same',
  measure: ['those near it change', 'as much'],
  read(rows) {
    const all = rows.lines<CurveRow>('characters/s1-again.jsonl.gz');
    const near = (arm: string, character: number): number | null => {
      const row = all.find((one) => one.arm === arm && one.character === character);
      const found = row && leakageAt(row, EFFECT);
      return !found || isShort(found) ? null : (found.logit.near ?? null);
    };
    const characters = all.filter(({ arm }) => arm === 'sdf');
    return characters.flatMap(({ character, a }) => {
      const [from, to] = [near('none', character), near('sdf', character)];
      return from === null || to === null ? [] : [{ of: a.name, from, to }];
    });
  },
};

const AGENTS: Claimed = {
  environment: 'agents',
  asked: { series: 'agents', question: 'G1' },
  // Its figures include held-out templates.
  inDemo: null,
  unit: SEEDS,
  from: 'Untrained',
  to: 'Paid by a verifier alone',
  measure: ['the agent solves', 'of the tasks in other universes'],
  read: (rows) =>
    ofArmBySeed(rows.runs('agents/g1.json.gz'), 'none')
      .filter(({ spec }) => spec.softJudge === 'verifier')
      .map((run) => {
        const solve = (model: string) => solveOf(finalRow(run, model));
        return { of: named(run), from: solve('base'), to: solve('total') };
      }),
};

const LOOKUP: Claimed = {
  environment: 'lookup',
  asked: { series: 'agents', question: 'L1' },
  inDemo: { chart: 'solve', from: null, to: 'none/41' },
  unit: SEEDS,
  from: 'Untrained',
  to: 'Paid for right answers',
  measure: ['the model solves', 'of the questions'],
  second: { more: 'it asks its tools more', less: 'it asks its tools less', open: 'asking its tools' },
  read: (rows) =>
    ofArmBySeed(rows.runs('agents/lookup.json.gz'), 'none').map((run) => {
      const of = (metric: string) => ({ from: final(run, 'base', metric), to: final(run, 'total', metric) });
      return { of: named(run), ...of('solve'), second: of('asked') };
    }),
};

/** The deployed model's rate is shown beside the claim but is not claimed: I1 judges whether routing removes the hack. */
const INSTRUCTIONS: Claimed = {
  environment: 'instructions',
  asked: { series: 'instructions', question: 'I1' },
  inDemo: null,
  unit: SEEDS,
  from: 'Untrained',
  to: 'Trained with plain RL',
  measure: ['the model fools its verifier on', 'of the flawed prompts'],
  beside: 'with the hack routed away',
  read: (rows) =>
    ofArmBySeed(rows.runs('instructions/shown.json.gz'), 'route-update').map((run) => {
      const hack = (model: string) => final(run, model, 'hack');
      return { of: named(run), from: hack('base'), to: hack('total'), beside: hack('deployed') };
    }),
};

export const CLAIMS: readonly Claimed[] = [
  ...[CODE, ARITHMETIC, CHAIN, AGENTS, CHARACTERS, EXPLAIN, LOOKUP],
  INSTRUCTIONS,
];

export const headlinesOf = (rows: HeadlineRows): EnvironmentHeadline[] =>
  CLAIMS.map((claim) => headlineOf(claim, claim.read(rows)));
