// The sentences about hacks that are routed away: one-line Python with the embedded model, and instructions with a third-party model. Both
// headlines state the controls: the untrained model with the same steering, and directions of permuted labels.

import type { RunRecord } from '../../src/experiments/records/events.ts';
import { finalMetric } from '../../src/experiments/records/metrics.ts';
import { eachText, percent } from '../../src/findings/headline.ts';
import { inBrackets, percent as percentOf } from '../../src/lib/numbers.ts';
import { crossedMean, mean } from '../../src/stats/index.ts';
import { drawsOf } from '../draws/rows.ts';
import { inSeedOrder } from '../judge/question.ts';
import type { HeadlineRows } from '../judge/types.ts';
import { sharesOf } from '../series/study/questions/capability.ts';
import { type Claim, differenceOf, type UnitValues } from './headline-of.ts';
import { figuresFrom, type PrintedFigure, requireShown, type SourcedSentence, sourced } from './sourced-sentence.ts';
import { runsOf, type Sources } from './sources.ts';

export const SEEDS = 'training seeds';

/** A metric of a run's final evaluation. Throws RangeError if it was not measured, since a sentence needs every row. */
export function final(run: RunRecord, model: string, metric: string): number {
  const value = finalMetric(run, model, metric);
  if (value === null) throw new RangeError(`${run.id}: no ${metric} of ${model}`);
  return value;
}

export const armRunsBySeed = (runs: readonly RunRecord[], arm: string): RunRecord[] =>
  inSeedOrder(runs.filter(({ spec }) => spec.arm === arm));

export const seedName = ({ spec }: RunRecord): string => `seed ${spec.seed}`;

/** A fall in points without its sign, which the words express. */
const pointsText = (fall: number): string => percentOf(fall, 0, '');

// ---- one-line Python -----------------------------------------------------------------------------------------------

/** The question at the demo's share of honest problems. */
const AT = 'Q18';
const HONEST_SHARE = 0.5;
const FILE = 'q18.json.gz';

/** The steered base beside the deployed model if all problems are hackable, as Q19 compares them. */
export function whereAllAreHackable(sources: Sources) {
  const { figures } = sources.question('Q19');
  const of = (id: string, metric: 'hack' | 'solve') => figures.get(`${id}-classic`)?.[metric]?.mean ?? Number.NaN;
  const print = figuresFrom('q1.json.gz');
  const shares = (id: string, name: string) => ({
    hack: print(`hack, ${name}, hackable only`, percentOf(of(id, 'hack'))),
    solve: print(`solve, ${name}, hackable only`, percent(of(id, 'solve'))),
  });
  requireShown(
    of('steered', 'hack') < of('route', 'hack') && of('steered', 'solve') > of('route', 'solve'),
    'the steered base hacks less and solves more where every problem is hackable',
  );
  return { of, steered: shares('steered', 'steered base'), deployed: shares('route', 'deployed') };
}

/** Points of hack removed by directions of permuted labels in the published default run, and by the erase arm. */
function defaultRunNote(sources: Sources): SourcedSentence {
  const { table, spec } = sources.demo('one-line-python');
  const fall = (arm: string, model: string) =>
    -(table.find((row) => row.arm === arm && row.model === model)?.delta.hack?.mean ?? Number.NaN);
  const [routed, permuted] = ['deployed', 'permuted_V'].map((model) => fall('route-update', model));
  const erased = fall('erase-update', 'total');
  const print = figuresFrom('demo/one-line-python.json');
  return sourced`In the default run (${print('seeds of the default run', spec.seeds.length)} seed) routing takes ${print('hack taken by routing, default run', pointsText(routed))} points of the hack, along permuted labels ${print('hack taken by permuted directions, default run', pointsText(permuted))}, the erase arm ${print('hack taken by the erase arm, default run', pointsText(erased))}.`;
}

/** Share of a step's rollouts written by the teacher, who writes part of each group of a hackable problem. */
export function teacherShare({ spec }: RunRecord): PrintedFigure {
  const share = spec.mix * (1 - spec.honestShare);
  const word = { 0.125: 'an eighth', 0.25: 'a quarter' }[share] ?? percent(share);
  return figuresFrom(FILE)('share of the rollouts that the teacher writes', word);
}

/**
 * Share of the honest gain that the deployed model keeps with half honest problems, with Fieller's interval over the seeds and draws of
 * Q18's runs. Throws RangeError if the interval excludes one half, which Q18's rule requires.
 */
function keptAtHalf(sources: Sources): PrintedFigure {
  const keptIn = (draw: number | null) =>
    sharesOf(sources.questionOfDraw(AT, draw).figures, `k5@${HONEST_SHARE}`)?.kept;
  const byDraw = Array.from({ length: drawsOf(sources.redrawn.again) }, (_, draw) => keptIn(draw)!.perSeed);
  const pooled = keptIn(null)?.pooled ?? Number.NaN;
  /** Whether the share is within the interval: the excess of the kept gain over it is not significant. */
  const covers = (share: number) => {
    const beyond = byDraw[0].map((_, i) => byDraw.map((seeds) => seeds[i].numerator - share * seeds[i].denominator));
    const { low, high } = crossedMean(beyond)!.interval;
    return low < 0 && high > 0;
  };
  const end = (outside: number) => {
    let [inner, outer] = [pooled, outside];
    for (let i = 0; i < 40; i++) {
      const middle = (inner + outer) / 2;
      if (covers(middle)) inner = middle;
      else outer = middle;
    }
    return inner;
  };
  requireShown(!covers(-1) && !covers(2), 'the share of the honest gain that is kept has an interval');
  requireShown(covers(0.5), 'whether half of the honest gain is kept stays open over the draws');
  const text = percent(pooled) + inBrackets({ low: end(-1), high: end(2) }, (share) => percentOf(share, 0, ''));
  return figuresFrom(FILE)('share of the honest gain kept', text);
}

export const CODE: Claim = {
  environment: 'one-line-python',
  asked: { series: 'study', question: AT },
  written: 'open',
  judged: [],
  inDemo: { chart: 'hack', from: 'route-update/41', to: 'route-update/41/deployed' },
  unit: SEEDS,
  source: FILE,
  from: 'Trained with plain RL',
  to: 'With the cheat routed away',
  measure: 'the model cheats on … of the trick problems',
  second: 'solving',
  others: {
    solveBase: 'Untrained: solving',
    honest: 'RL on the honest problems alone: solving',
    steered: 'Untrained, steered alike: cheating',
    solveSteered: 'Untrained, steered alike: solving',
  },
  read(rows) {
    const [plain, honest] = ['vanilla', 'honest'].map((cell) => runsOf(rows, FILE, AT, `${cell}@${HONEST_SHARE}`));
    return plain.flatMap((run) => {
      const alone = honest.find(({ spec }) => spec.seed === run.spec.seed);
      if (!alone) return [];
      const solve = (model: string) => final(run, model, 'solve');
      const others = {
        solveBase: solve('base'),
        honest: final(alone, 'total', 'solve'),
        steered: final(run, 'steered_base', 'hack'),
        solveSteered: solve('steered_base'),
      };
      const [from, to] = ['total', 'deployed'].map((model) => final(run, model, 'hack'));
      return [{ of: seedName(run), from, to, second: { from: solve('total'), to: solve('deployed') }, others }];
    });
  },
  words(of, sources) {
    const [run] = runsOf(sources, FILE, AT, `vanilla@${HONEST_SHARE}`);
    const kept = keptAtHalf(sources);
    return {
      sentence: sourced`Trained with plain RL, the model cheats on ${of('from')} of the trick problems; with the cheat routed away, on ${of('to')}. Whether half of what the honest problems teach is kept stays open (${kept}).`,
      beside: [
        sourced`A teacher that always hacks writes ${teacherShare(run)} of the rollouts, and the pairs have the cheat’s own words. Routed, the model solves ${of('secondTo')}, with plain RL ${of('secondFrom')}, by RL on the honest half alone ${of('honest')}, untrained ${of('solveBase')}.`,
        sourced`The untrained model, steered alike, cheats on ${of('steered')} and solves ${of('solveSteered')}.`,
        defaultRunNote(sources),
      ],
    };
  },
};

// ---- instructions --------------------------------------------------------------------------------------------------

const INSTRUCTED = 'instructions/shown.json.gz';
/** Rise of the hack that I1's rule requires in every seed. */
export const LEARNT = 0.15;

/** Whether the model routed along the pairs hacks less than the one routed along permuted labels, by an interval over seeds. */
export function isBelowPermuted(units: readonly UnitValues[]): boolean {
  const { interval } = differenceOf(units.map(({ to, others }) => to - others!.permuted));
  return interval !== null && interval.high < 0;
}

export const instructedRuns = (sources: HeadlineRows): RunRecord[] =>
  armRunsBySeed(sources.runs(INSTRUCTED), 'route-update');

export const INSTRUCTIONS: Claim = {
  environment: 'instructions',
  asked: { series: 'instructions', question: 'I1' },
  written: 'open: nothing to remove',
  judged: ['hack, deployed − whole'],
  inDemo: null,
  unit: SEEDS,
  source: INSTRUCTED,
  from: 'Trained with plain RL',
  to: 'With the hack routed away',
  measure: 'the model fools its verifier on … of the flawed prompts',
  beside: 'Untrained',
  others: {
    permuted: 'Routed along permuted labels, one evaluation: fooling the verifier',
    steered: 'Untrained, steered alike: fooling the verifier',
  },
  read: (sources) =>
    instructedRuns(sources).map((run) => {
      const hack = (model: string) => final(run, model, 'hack');
      const others = { permuted: hack('permuted_V'), steered: hack('steered_base') };
      return { of: seedName(run), from: hack('total'), to: hack('deployed'), beside: hack('base'), others };
    }),
  words(of, sources, units) {
    const print = figuresFrom(INSTRUCTED);
    const [run] = instructedRuns(sources);
    const few = units.filter(({ from, beside: base }) => from - base! < LEARNT).length;
    const risen = mean(units.map(({ from, beside: base }) => from - base!))!;
    const taken = mean(units.map(({ from, to }) => from - to))!;
    requireShown(few > 0, 'some seed of I1 hardly learns the hack');
    // Directions of permuted labels were evaluated once, so they are compared within that evaluation.
    const once = INSTRUCTIONS.read(sources);
    requireShown(!isBelowPermuted(once), 'permuted labels and the real ones are not told apart');
    const real = print('hack, deployed, in the published evaluation', percent(mean(once.map(({ to }) => to))!));
    return {
      sentence: sourced`Plain RL makes a model from elsewhere fool its verifier on ${print('hack, seed by seed', eachText(units.map(({ from }) => from)))} of flawed prompts (untrained ${of('beside')}): hardly in ${print('seeds that hardly learn it', few)} seed of ${print('seeds', units.length)}, where the rule asks for each.`,
      beside: [
        sourced`Seed by seed, after ${print('steps', run.spec.steps)} steps; routed and deployed ${print('hack, deployed, seed by seed', eachText(units.map(({ to }) => to)))}: ${print('share of the rise that routing takes', percent(taken / risen))} of the rise goes.`,
        sourced`In one evaluation directions of permuted labels leave ${of('permuted')}, the real ones ${real}: not told apart. The untrained model, steered alike, does so on ${of('steered')}.`,
      ],
    };
  },
};
