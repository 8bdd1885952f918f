// The ten sentences of the findings' front page. Each takes its figures from rows, names the entries that judge it, and states its numbers
// of bases, training seeds and evaluation draws. A negative result is printed bold.

import type { ImproveRow } from '../../src/experiments/exit/rows.ts';
import { modelsOf, modelsOfArm, rowsOfWay } from '../../src/experiments/exit/rows.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import { PLAIN_RL, REMOVED_AT_LEAST, TRUSTED_ONLY } from '../../src/findings/arena/frontier.ts';
import type { ArenaSheetName } from '../../src/findings/arena/sheet.ts';
import type { Bar, FrontSentence } from '../../src/findings/front.ts';
import { differenceText, eachText, type MeanEstimate, percent } from '../../src/findings/headline.ts';
import type { SeriesId } from '../../src/findings/series.ts';
import { inBrackets, percent as percentOf, points } from '../../src/lib/numbers.ts';
import { mean } from '../../src/stats/index.ts';
import { FIVE } from '../series/exit/arms.ts';
import { reaches } from '../series/study/questions/held-out.ts';
import {
  armRunsBySeed,
  CODE,
  final,
  INSTRUCTIONS,
  instructedRuns,
  isBelowPermuted,
  LEARNT,
  teacherShare,
  whereAllAreHackable,
} from './hacks.ts';
import { type Drawn, drawnOf, meanOf, overBoth, shareOf, tableOf, type UnitValues } from './headline-of.ts';
import { CHAIN, endBelow, LAST, wholeChainsOf } from './learning.ts';
import { PREDICTED, savedOverLookUp } from './look-up.ts';
import { askedIn, besideReplay, leakedIn, REPLAYED } from './others.ts';
import { figuresFrom, type PrintedFigure, requireShown, type SourcedSentence, sourced } from './sourced-sentence.ts';
import { estimateOf, runsOf, type Sources } from './sources.ts';

export interface TenSentence {
  said: SourcedSentence;
  isNegative: boolean;
  counted: string;
  series: SeriesId;
  /** Entries that judge it; the first one leads. */
  by: readonly string[];
  picture: FrontSentence['picture'];
}

const NUMBERS = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
/** A small count as a word. */
const inWords = (count: number): string => NUMBERS[count] ?? String(count);

const several = (n: number, unit: string): string => `${n} ${n === 1 ? unit : `${unit}s`}`;

interface Counts {
  bases: number;
  seeds: number;
  evaluations: number;
  /** Draws of the problems, if there is more than one. */
  draws?: number;
  /** Unit, if it is not training seeds. */
  unit?: string;
}

/** `1 base × 10 training seeds × 1 evaluation draw` */
function counted({ bases, seeds, evaluations, draws, unit = 'training seed' }: Counts): string {
  const problems = draws === undefined ? [] : [`${several(draws, 'draw')} of the problems`];
  return [several(bases, 'base'), several(seeds, unit), ...problems, several(evaluations, 'evaluation draw')].join(
    ' × ',
  );
}

/** Numbers of bases, seeds and draws of the runs. */
function countsOf(runs: readonly RunRecord[]): Counts {
  const distinct = (of: (run: RunRecord) => unknown) => new Set(runs.map(of)).size;
  const finals = ({ evals }: RunRecord) => evals.filter(({ kind, model }) => kind === 'final' && model === 'total');
  const draws = distinct(({ spec }) => spec.dataSeed);
  return {
    bases: distinct(({ modelSha256 }) => modelSha256),
    seeds: distinct(({ spec }) => spec.seed),
    evaluations: Math.min(...runs.map((run) => finals(run).length)),
    ...(draws > 1 && { draws }),
  };
}

const bar = (name: string, { mean: centre, interval, each }: MeanEstimate): Bar => ({
  name,
  mean: centre,
  interval,
  ...(each && { each: [...each] }),
});
const barOf = (name: string, runs: readonly RunRecord[], model: string, metric: string): Bar =>
  bar(name, shareOf(runs.map((run) => final(run, model, metric))));
const unitsBar = (name: string, units: readonly UnitValues[], of: (unit: UnitValues) => number): Bar =>
  bar(name, shareOf(units.map(of)));
const drawnBar = (name: string, drawn: Drawn, of: (unit: UnitValues) => number): Bar =>
  bar(name, overBoth(tableOf(drawn, of), 'share'));

const printedShare = (source: string, name: string, value: number): PrintedFigure =>
  figuresFrom(source)(name, percent(value));

// ---- the hack that pairs show ----------------------------------------------------------------------------------------

function ownWords(sources: Sources): TenSentence {
  const drawn = drawnOf(CODE, sources);
  const { units, byDraw } = drawn;
  const runs = runsOf(sources, 'q18.json.gz', 'Q18', 'vanilla@0.5');
  const of = (name: string, value: (unit: UnitValues) => number) =>
    printedShare('q18.json.gz', name, mean(units.map(value))!);
  const varied = sources.entry('Q10');
  const print = figuresFrom('q10.json.gz');
  const change = (name: string) => estimateOf(varied, `hack, ${name} − vanilla`);
  const own = change('erase, mechanism pairs');
  const [erased, routed] = [
    'erase, mechanism, varied surface',
    'route (update), mechanism, varied surface, deployed',
  ].map(change);
  const other = ({ name, mean: by, interval }: typeof erased) =>
    print(name, points(by) + inBrackets(interval, points, ' '));
  const seedsOf = ({ name }: typeof erased) => varied.entry.figures.find((figure) => figure.name === name)!.n;
  requireShown(
    [erased, routed].every(({ mean: by }) => Math.abs(by) < 0.2 * Math.abs(own.mean)),
    'along pairs in other words next to nothing goes',
  );
  return {
    said: sourced`With ${teacherShare(runs[0])} of its rollouts from a teacher that hacks, RL makes the model cheat on ${of('hack, plain RL', (unit) => unit.from)} of the trick problems; routed along pairs in the hack’s own words, on ${of('hack, deployed', (unit) => unit.to)}. Along pairs in other words next to nothing goes where every problem is hackable: the hack changes by ${other(erased)} points erased (in its own words ${print('hack, erase, mechanism pairs − vanilla', points(own.mean))}; ${print('seeds, erased', inWords(seedsOf(erased)))} seeds) and by ${other(routed)} routed (${print('seeds, routed', inWords(seedsOf(routed)))} seeds).`,
    isNegative: false,
    counted: `${counted({ ...countsOf(runs), evaluations: byDraw.length })}; in other words 1 evaluation draw`,
    series: 'study',
    by: ['Q18', 'Q10', 'Q20'],
    picture: {
      title: 'Cheating, of the trick problems; half of all are honest',
      bars: [
        drawnBar('plain RL', drawn, (unit) => unit.from),
        drawnBar('routed away, deployed', drawn, (unit) => unit.to),
        drawnBar('untrained, steered alike', drawn, (unit) => unit.others!.steered),
      ],
    },
  };
}

function restores(sources: Sources): TenSentence {
  const { steered, deployed } = whereAllAreHackable(sources);
  const runs = sources.question('Q19').figures.get('route-classic')!.set.runs;
  const [untrained, plain] = ['base', 'total'].map(
    (model) => (metric: string) => mean(runs.map((run) => final(run, model, metric)))!,
  );
  const print = figuresFrom('q1.json.gz');
  requireShown(
    untrained('hack') < mean(runs.map((run) => final(run, 'deployed', 'hack')))! &&
      untrained('solve') > mean(runs.map((run) => final(run, 'deployed', 'solve')))!,
    'where every problem is hackable the untrained model hacks less and solves more than the deployed one',
  );
  return {
    said: sourced`Where every problem is hackable and a teacher hacks, routing restores in part and does not teach: plain RL hacks ${print('hack, plain RL, hackable only', percentOf(plain('hack')))} and solves ${print('solve, plain RL, hackable only', percent(plain('solve')))}, the deployed model ${deployed.hack} and solves ${deployed.solve}, the untrained one ${print('hack, untrained, hackable only', percentOf(untrained('hack')))} and ${print('solve, untrained, hackable only', percent(untrained('solve')))}, steered alike ${steered.hack} and ${steered.solve}.`,
    isNegative: true,
    counted: counted(countsOf(runs)),
    series: 'study',
    by: ['Q19', 'Q12'],
    picture: {
      title: 'Every problem hackable',
      bars: [
        barOf('hacks: untrained', runs, 'base', 'hack'),
        barOf('hacks: untrained, steered', runs, 'steered_base', 'hack'),
        barOf('hacks: routed, deployed', runs, 'deployed', 'hack'),
        barOf('hacks: plain RL', runs, 'total', 'hack'),
        barOf('solves: untrained', runs, 'base', 'solve'),
        barOf('solves: untrained, steered', runs, 'steered_base', 'solve'),
        barOf('solves: routed, deployed', runs, 'deployed', 'solve'),
        barOf('solves: plain RL', runs, 'total', 'solve'),
      ],
    },
  };
}

function unseenFlaws(sources: Sources): TenSentence {
  const { figures } = sources.question('Q14');
  const all = reaches(figures).toSorted((a, b) => (b.removed ?? 0) - (a.removed ?? 0));
  const reached = all.filter((one) => one.reached === true);
  const print = figuresFrom('q14.json.gz');
  const runs = all.flatMap(({ mode }) => figures.get(`route-${mode}`)!.set.runs);
  const shares = eachText(reached.map(({ removed }) => removed!));
  // If plain RL hacks in few seeds, there is little to remove.
  const [rare, ...others] = all.filter(({ reached, seeds, of }) => reached !== true && seeds < of);
  requireShown(rare !== undefined && others.length === 0, 'one flaw that is not reached is hacked in some seeds alone');
  const seedsText = print('seeds that hack one of these', `${inWords(rare.seeds)} of ${inWords(rare.of)}`);
  return {
    said: sourced`Of ${print('flaws that no pair shows', inWords(all.length))} flaws that no pair shows, routing reaches ${print('flaws that routing reaches', inWords(reached.length))} (${print('share removed of these', shares)} of what plain RL added), and is not shown to reach ${print('flaws that it is not shown to reach', inWords(all.length - reached.length))}, one of them hacked in ${seedsText} seeds alone; of ${print('flaws reached mostly by the asserts', inWords(reached.filter(({ asserts }) => asserts === true).length))} of the reached most is done by pairs that only write the asserts.`,
    isNegative: false,
    counted: counted(countsOf(runs)),
    series: 'study',
    by: ['Q14', 'P2', 'I2'],
    picture: {
      title: 'Hack removed, of what plain RL added; no pair shows it',
      bars: all.map(({ mode, removed }) => bar(mode, { mean: removed ?? 0, interval: null })),
    },
  };
}

// ---- the hack that nobody labels ---------------------------------------------------------------------------------------

/** A model on a sheet of the arena, by its arm and name. */
function pointOf(sources: Sources, name: ArenaSheetName, id: string) {
  const point = sources.arena(name).points.find(({ arm, model }) => `${arm} ${model}` === id);
  if (!point || point.kept.honest.ratio === null) throw new RangeError(`${name}: no point of ${id}`);
  return { ...point, ratio: point.kept.honest.ratio };
}

/** Training on trusted problems only, on a sheet of the arena, and what plain RL achieves there. */
function trustedOnly(sources: Sources, name: ArenaSheetName) {
  const point = pointOf(sources, name, TRUSTED_ONLY);
  requireShown((point.removed.interval?.low ?? 0) > REMOVED_AT_LEAST, `${name}: trusted problems alone leave no hack`);
  return {
    mean: point.ratio,
    interval: point.kept.honest.interval,
    plain: pointOf(sources, name, PLAIN_RL).ratio,
    evaluations: point.evaluations ?? 1,
  };
}

const TRUSTED_RUNS = ['arena/judged.runs.json.gz', 'arena/misconceived.runs.json.gz'];
const trustedRuns = (sources: Sources, file: string) => armRunsBySeed(sources.runs(file), 'trusted-only');

/** Describes the runs, as in `5 seeds in 3 draws of the problems`. */
function cellsOf(runs: readonly RunRecord[]): string {
  const { seeds, draws = 1 } = countsOf(runs);
  return seeds === 1
    ? `${several(draws, 'draw')} of the problems`
    : `${several(seeds, 'training seed')} in ${several(draws, 'draw')} of the problems`;
}

function trustedTenth(sources: Sources): TenSentence {
  const [easy, longer] = [trustedOnly(sources, 'judged'), trustedOnly(sources, 'apart')];
  const [a, b] = TRUSTED_RUNS.map((file) => trustedRuns(sources, file));
  const kept = (file: string, name: string, of: typeof easy) =>
    figuresFrom(file)(name, percent(of.mean) + inBrackets(of.interval, (end) => percentOf(end, 0), ' to '));
  const plain = (file: string, of: typeof easy) => figuresFrom(file)('kept by plain RL', percent(of.plain));
  const cells = [a, b].map(
    (runs, i) => `${cellsOf(runs)} × ${several([easy, longer][i].evaluations, 'evaluation draw')}`,
  );
  return {
    said: sourced`RL on a trusted tenth of the honest problems alone learns no hack. On honest prompts it keeps ${kept(TRUSTED_RUNS[0], 'kept by trusted problems alone', easy)} of what correct graders teach in an easy setting (plain RL, with the hack, ${plain(TRUSTED_RUNS[0], easy)}), ${kept(TRUSTED_RUNS[1], 'kept by trusted problems alone, longer', longer)} in a longer training of another base (plain RL ${plain(TRUSTED_RUNS[1], longer)}).`,
    isNegative: false,
    counted: `${several(countsOf([...a, ...b]).bases, 'base')} × (${cells.join('; ')})`,
    series: 'prediction',
    by: ['P10', 'P6'],
    picture: {
      title: 'Kept of what correct graders teach, trusted problems alone',
      bars: [bar('easy setting', easy), bar('longer training, another base', longer)],
    },
  };
}

function noMethod(sources: Sources): TenSentence {
  const [few, fresh] = [sources.entry('P6'), sources.entry('P8')];
  requireShown(
    few.entry.standing === 'holds' && fresh.entry.standing === 'fails',
    'the verifier reached the bar in P6 and failed in P8',
  );
  const runs = sources.runs('arena/judged.runs.json.gz').filter(({ spec }) => spec.arm === 'verifier');
  const removed = estimateOf(fresh, 'verifier, hack removed');
  const { draws = 1 } = countsOf(runs);
  const before = ['stdout_marker', 'sentinel'].map((mode) => estimateOf(few, `${mode} removed`));
  const print = figuresFrom('arena/draws.runs.json.gz');
  const left = { low: 1 - removed.interval!.high, high: 1 - removed.interval!.low };
  const leftText = percent(1 - removed.mean) + inBrackets(left, (end) => percentOf(end, 0), ' to ');
  const strings = sources.entry('P4');
  const merged = estimateOf(strings, 'merged with vanilla − RL on trusted strings, honest solve');
  const short = estimateOf(strings, 'repaired graders − RL on trusted strings, honest solve');
  requireShown(
    merged.interval!.low > 0 &&
      estimateOf(strings, 'merged with vanilla, hack removed').interval!.low > REMOVED_AT_LEAST,
    'on strings, merging solves more than trusted problems alone, without the hack',
  );
  return {
    said: sourced`No method that was tested in fresh draws reaches the arena’s bar: a verifier did in ${figuresFrom('arena/judged.runs.json.gz')('draws in which the bar was reached', inWords(draws))} draws, and left ${print('hack left in fresh draws', leftText)} of the hack in ${print('fresh draws', inWords(fresh.entry.n))} others. Where the trusted tenth takes strings alone, merging with plain RL’s update adds ${figuresFrom('arena/narrow.runs.json.gz')('merged − trusted strings, honest solve', points(merged.mean) + inBrackets(merged.interval, points, ' '))} of the ${figuresFrom('arena/narrow.runs.json.gz')('repaired graders − trusted strings, honest solve', points(short.mean).replace('+', ''))} points that it falls short, without the hack.`,
    isNegative: true,
    counted: `${several(countsOf(runs).bases, 'base')} × (${cellsOf(runs)}; ${several(fresh.entry.n, 'draw')} of the problems; ${several(strings.entry.n, 'draw')} for strings) × ${several(countsOf(runs).evaluations, 'evaluation draw')}`,
    series: 'prediction',
    by: ['P8', 'P6', 'P13', 'P4'],
    picture: {
      title: 'Hack that the verifier leaves',
      bars: [
        ...before.map(({ name, mean: share }) =>
          bar(`${inWords(draws)} draws, ${name.replace(' removed', '')}`, { mean: 1 - share, interval: null }),
        ),
        bar(`${inWords(fresh.entry.n)} fresh draws`, { mean: 1 - removed.mean, interval: null }),
      ],
    },
  };
}

function beforehand(sources: Sources): TenSentence {
  const saved = savedOverLookUp(sources);
  const text = percent(saved.mean) + inBrackets(saved.interval, (end) => percentOf(end, 0), ' to ');
  const ranks = estimateOf(sources.entry('P2'), 'rank correlation within a mode');
  return {
    said: sourced`What a basis will remove is told beforehand: by its spelling where the pairs show the hack, in part by gradient overlap where they do not (it saves ${figuresFrom(PREDICTED)('error saved against the best look-up by spelling', text)} of the error that the best look-up by spelling leaves).`,
    isNegative: false,
    counted: `1 base × ${several(saved.draws, 'draw')} of the problems with a training seed each × 1 evaluation draw`,
    series: 'prediction',
    by: ['P2', 'P1'],
    picture: {
      title: 'A hack that the pairs do not show: what overlap tells',
      bars: [
        bar('error saved against the best look-up by spelling', { mean: saved.mean, interval: saved.interval }),
        bar(ranks.name, { mean: ranks.mean, interval: ranks.interval }),
      ],
    },
  };
}

// ---- learning from one's own attempts -----------------------------------------------------------------------------------

const SYNTHESIS = ['cat/training-2.json.gz', 'cat/seed2-training.json.gz', 'cat/seed3-training.json.gz'];
const CHOSEN = ['C14', 'C14-seed2', 'C14-seed3'];
const TAUGHT = ['C2', 'C2-seed2', 'C2-seed3'];

function ownSynthesis(sources: Sources): TenSentence {
  const shares = SYNTHESIS.map((file) => {
    const of = (arm: string) => armRunsBySeed(sources.runs(file), arm);
    const solve = (runs: readonly RunRecord[], model: string) => mean(runs.map((run) => final(run, model, 'solve')))!;
    const [cat, oracle] = [of('cat'), of('oracle')];
    const base = solve(cat, 'base');
    return (solve(cat, 'total') - base) / (solve(oracle, 'total') - base);
  });
  const alike = CHOSEN.filter((id) => sources.entry(id).entry.word === 'fails: they end alike');
  requireShown(
    TAUGHT.every((id) => sources.entry(id).entry.standing === 'fails'),
    'on no base does the policy pass its first teacher',
  );
  const runs = SYNTHESIS.flatMap((file) => armRunsBySeed(sources.runs(file), 'cat'));
  const print = figuresFrom(SYNTHESIS.join(', '));
  const range = `${percentOf(Math.min(...shares), 0, '')} to ${percent(Math.max(...shares))}`;
  return {
    said: sourced`Pay for agreeing with one’s own synthesis earns ${print('share of what true rewards gain', range)} of what true rewards gain in ${print('steps', runs[0].spec.steps)} steps on ${print('bases', inWords(shares.length))} bases, and pay by the likeliest attempt ends alike on ${figuresFrom('cat/self-chosen.json.gz')('bases on which the likeliest attempt does as much', inWords(alike.length))} of them; on none does the policy pass its first teacher; ${endBelow(sources)}.`,
    isNegative: false,
    counted: counted(countsOf(runs)),
    series: 'cat',
    by: ['C2', 'C14', 'C17'],
    picture: {
      title: 'Share of what true rewards gain',
      bars: shares.map((share, i) => bar(`base ${i + 1}`, { mean: share, interval: null })),
    },
  };
}

/** Quality of the best answer so far, seed by seed, in files of chains. */
const bestOf = (sources: Sources, files: readonly string[], arm: string): number[] =>
  modelsOfArm(modelsOf(files.flatMap((file) => sources.lines<ImproveRow>(file))), arm).map(
    (model) => mean(rowsOfWay(model, 'sampled').map(({ quality }) => Math.max(...quality.slice(0, LAST + 1))))!,
  );

/** An arm's best answer so far beside the untrained model's on the same tasks. */
function bestKept(sources: Sources, files: readonly string[], arm: string, untrained: readonly string[]) {
  const [base] = bestOf(sources, untrained, 'base');
  const own = bestOf(sources, files, arm);
  return { own: mean(own)!, base, over: meanOf(own.map((value) => value - base)) };
}

/** The cheaper variant: an eighth of the tasks are revisions, and each continues from the best child. */
const CHEAP = 'exit/e1-again.jsonl.gz';

function chains(sources: Sources): TenSentence {
  const drawn = drawnOf(CHAIN, sources);
  const { units, byDraw } = drawn;
  const share = (name: string, of: (unit: UnitValues) => number) =>
    printedShare(FIVE.join(', '), name, mean(units.map(of))!);
  const { reached, first, file } = wholeChainsOf(sources);
  const single = bestKept(sources, FIVE, 'exit', FIVE);
  const whole = bestKept(sources, [file], 'chain_last', FIVE);
  const { over: cheap } = bestKept(sources, [CHEAP], 'exit_best', [CHEAP]);
  requireShown(
    cheap.interval!.low < 0 && cheap.interval!.high > 0,
    'with the best answer kept, the cheap form is not told apart from untrained',
  );
  requireShown(
    [single, whole].every(({ over }) => over.interval!.low > 0),
    'with the best answer kept, single revisions and whole chains beat untrained',
  );
  const rows = FIVE.flatMap((file) => sources.lines<ImproveRow>(file)).filter(({ way }) => way === 'sampled');
  const samplings = new Set(rows.map(({ sampling }) => sampling)).size;
  return {
    said: sourced`Training revisions, singly or in whole chains, makes long chains better than RL on first answers does (${share('relations, single revisions', (unit) => unit.to)} and ${reached} against ${share('relations, RL on first answers', (unit) => unit.from)} after ${figuresFrom(FIVE[0])('revisions', LAST)} revisions, untrained ${share('relations, untrained', (unit) => unit.beside!)}), and first answers worse (${share('first answers, single revisions', (unit) => unit.second!.to)} and ${first} against ${share('first answers, RL on first answers', (unit) => unit.second!.from)}, untrained ${share('first answers, untrained', (unit) => unit.others!.first)}). With the best answer kept both beat untrained (${printedShare(FIVE.join(', '), 'best answer kept, single revisions', single.own)} and ${printedShare(file, 'best answer kept, whole chains', whole.own)} against ${printedShare(FIVE.join(', '), 'best answer kept, untrained', single.base)}); a form that costs no first answers is not shown to (${figuresFrom(CHEAP)('best answer kept, the cheap form − untrained', differenceText(cheap))} points).`,
    isNegative: false,
    counted: counted({ bases: 1, seeds: units.length, evaluations: Math.max(samplings, byDraw.length) }),
    series: 'exit',
    by: ['E1', 'E1-again', 'E5'],
    picture: {
      title: `Relations satisfied after ${LAST} revisions`,
      bars: [
        drawnBar('single revisions', drawn, (unit) => unit.to),
        drawnBar('RL on first answers', drawn, (unit) => unit.from),
        drawnBar('untrained', drawn, (unit) => unit.beside!),
      ],
    },
  };
}

// ---- others ------------------------------------------------------------------------------------------------------------

const AGAIN = ['s1-again', 'seed2-on-again', 'seed3-on-again'].map((name) => `characters/${name}.jsonl.gz`);

const REPLAYS = [REPLAYED, ...['seed2-on', 'seed3-on'].map((base) => `characters/${base}-replay.jsonl.gz`)];
/** The bases on which enough characters have the effect, or too few. */
const TRANSCRIPTS = ['S3', 'S3-seed2-on', 'S3-seed3-on'];

function characters(sources: Sources): TenSentence {
  const all = AGAIN.map((file) => leakedIn(sources, file));
  const means = (of: (one: (typeof all)[number][number]) => number) => all.map((own) => mean(own.map(of))!);
  const [rl, documents] = [means((one) => one.rl.near), means((one) => one.documents.near)];
  const range = (values: readonly number[]) =>
    `${percentOf(Math.min(...values), 0, '')} to ${percent(Math.max(...values))}`;
  const print = figuresFrom(AGAIN.join(', '));
  const printReplayed = figuresFrom(REPLAYS.join(', '));
  const replayed = (...[arm, what]: [arm: 'none' | 'sdf', what: 'none' | 'transcripts']) =>
    printReplayed(`near, ${arm} beside ${what}`, range(REPLAYS.map((file) => besideReplay(sources, arm, what, file))));
  const alike = TRANSCRIPTS.filter((id) => sources.entry(id).entry.standing === 'holds');
  const counts = all.map((own) => own.length);
  const least = Math.min(...counts);
  const [asked] = AGAIN.map((file) => askedIn(sources, file));
  return {
    said: sourced`RL of one character’s habit changes those near it who shared it ${print('near, RL', range(rl))} as much; documents ${print('near, documents', range(documents))} (${replayed('sdf', 'none')} without any about the others; with the others’ transcripts beside both, RL ${replayed('none', 'transcripts')}, documents ${replayed('sdf', 'transcripts')}, the other way); transcripts of the habit are not told apart from RL on ${print('bases on which transcripts are not told apart from RL', inWords(alike.length))} bases.`,
    isNegative: false,
    counted: `${several(all.length, 'base')} × 1 training seed × ${least} to ${Math.max(...counts)} of ${asked} characters, read without sampling`,
    series: 'characters',
    by: ['S1-again', 'S11', 'S3'],
    picture: {
      title: 'How much those near it change, of its own change',
      bars: all.flatMap((own, i) => [
        bar(`RL, base ${i + 1}`, meanOf(own.map((one) => one.rl.near))),
        bar(`documents, base ${i + 1}`, meanOf(own.map((one) => one.documents.near))),
      ]),
    },
  };
}

function elsewhereTrained(sources: Sources): TenSentence {
  const units = INSTRUCTIONS.read(sources);
  const runs = instructedRuns(sources);
  const [rise, taken] = [(unit: UnitValues) => unit.from - unit.beside!, (unit: UnitValues) => unit.from - unit.to].map(
    (of) => mean(units.map(of))!,
  );
  const many = units.filter((unit) => unit.from - unit.beside! >= LEARNT).length;
  const byPermuted = mean(units.map((unit) => unit.from - unit.others!.permuted))!;
  requireShown(sources.entry('I2').entry.standing === 'open', 'pairs of another hack are not shown to move it');
  requireShown(!isBelowPermuted(units), 'routing is not shown to take more than permuted labels');
  const print = figuresFrom('instructions/shown.json.gz');
  return {
    said: sourced`On a model from elsewhere nothing is decided: ${print('seeds that learn the hack', inWords(many))} seeds of ${print('seeds', inWords(units.length))} learn the hack, where the rule asks for all; routing takes ${print('share of the rise that routing takes', percent(taken / rise))} of the rise, and more than directions of permuted labels take (${print('share of the rise that permuted directions take', percent(byPermuted / rise))}) is not shown; pairs of another hack are not shown to move it.`,
    isNegative: false,
    counted: counted(countsOf(runs)),
    series: 'instructions',
    by: ['I1', 'I2'],
    picture: {
      title: 'Fooling the verifier, of the flawed prompts',
      bars: [
        unitsBar('plain RL', units, (unit) => unit.from),
        unitsBar('routed away, deployed', units, (unit) => unit.to),
        unitsBar('routed along permuted labels', units, (unit) => unit.others!.permuted),
        unitsBar('untrained', units, (unit) => unit.beside!),
      ],
    },
  };
}

export const tenOf = (sources: Sources): TenSentence[] =>
  [
    ...[ownWords, restores, unseenFlaws, trustedTenth, noMethod, beforehand, ownSynthesis, chains, characters],
    elsewhereTrained,
  ].map((of) => of(sources));
