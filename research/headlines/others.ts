// The sentences about side effects of training: on other characters, tasks of other templates, and questions of new forms.

import { EFFECT } from '../../src/experiments/characters/judging.ts';
import { isShort, leakageAt } from '../../src/experiments/characters/leakage.ts';
import type { CurveRow } from '../../src/experiments/characters/rows.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import { finalRow, metricValue } from '../../src/experiments/records/metrics.ts';
import { percent } from '../../src/findings/headline.ts';
import { mean } from '../../src/stats/index.ts';
import type { HeadlineRows } from '../judge/types.ts';
import { solveOf } from '../series/agents/estimates.ts';
import { armRunsBySeed, final, SEEDS, seedName } from './hacks.ts';
import type { Claim } from './headline-of.ts';
import { figuresFrom, requireShown, sourced } from './sourced-sentence.ts';

// ---- characters ----------------------------------------------------------------------------------------------------

const GROUPS = ['near', 'far', 'other'] as const;
type Group = (typeof GROUPS)[number];
/** Change of each group as a share of A's change; null if the arm never has the effect. */
type Leaks = Readonly<Record<Group, number>>;

function leaksOf(row: CurveRow | undefined): Leaks | null {
  const found = row && leakageAt(row, EFFECT);
  if (!found || isShort(found)) return null;
  const [near, far, other] = GROUPS.map((group) => found.logit[group]);
  return near === undefined || far === undefined || other === undefined ? null : { near, far, other };
}

export interface Leaked {
  name: string;
  rl: Leaks;
  documents: Leaks;
}

/** Number of characters on which documents were tested. */
export const askedIn = (sources: HeadlineRows, file: string): number =>
  sources.lines<CurveRow>(file).filter(({ arm, teaches }) => arm === 'sdf' && teaches === 'dial').length;

/** Characters of a file with the effect both under RL and under documents. */
export function leakedIn(sources: HeadlineRows, file: string): Leaked[] {
  const rows = sources.lines<CurveRow>(file);
  const rowOf = (arm: string, character: number) =>
    rows.find((row) => row.arm === arm && row.character === character && row.teaches === 'dial');
  return rows
    .filter(({ arm }) => arm === 'sdf')
    .flatMap(({ character, a }) => {
      const [rl, documents] = ['none', 'sdf'].map((arm) => leaksOf(rowOf(arm, character)));
      return rl && documents ? [{ name: a.name, rl, documents }] : [];
    });
}

/** Mean change of characters near A under an arm of the replay files, by what is replayed about the others. */
export function besideReplay(
  sources: HeadlineRows,
  arm: 'none' | 'sdf',
  beside: 'none' | 'transcripts',
  file: string = REPLAYED,
): number {
  const rows = sources.lines<CurveRow & { replay?: string }>(file);
  const leaks = rows.filter((row) => row.arm === arm && row.replay === beside).map(leaksOf);
  const known = mean(leaks.flatMap((leak) => leak?.near ?? []));
  if (known === null) throw new RangeError(`${file}: no character has the effect under ${arm} beside ${beside}`);
  return known;
}

const AGAIN = 'characters/s1-again.jsonl.gz';
export const REPLAYED = 'characters/replay.jsonl.gz';

export const CHARACTERS: Claim = {
  environment: 'characters',
  asked: { series: 'characters', question: 'S1-again' },
  written: 'holds',
  judged: ['RL − SDF, near'],
  // The demo trains one character for forty steps; its effect on near questions differs from the mean of seven characters.
  inDemo: null,
  unit: 'characters',
  source: AGAIN,
  isRatio: true,
  from: 'When RL teaches one character',
  to: 'When documents teach it the same',
  measure: 'those near it change … as much',
  others: {
    farFrom: 'When RL teaches one character: far from it',
    farTo: 'When documents teach it the same: far from it',
    otherFrom: 'When RL teaches one character: with another old value',
    otherTo: 'When documents teach it the same: with another old value',
  },
  read: (sources) =>
    leakedIn(sources, AGAIN).map(({ name, rl, documents }) => ({
      of: name,
      from: rl.near,
      to: documents.near,
      others: { farFrom: rl.far, farTo: documents.far, otherFrom: rl.other, otherTo: documents.other },
    })),
  words(of, sources, units) {
    const print = figuresFrom(REPLAYED);
    const own = figuresFrom(AGAIN);
    const alone = print('near, documents about nobody else', percent(besideReplay(sources, 'sdf', 'none')));
    const [rl, documents] = (['none', 'sdf'] as const).map((arm) =>
      print(`near, transcripts of the others beside ${arm}`, percent(besideReplay(sources, arm, 'transcripts'))),
    );
    requireShown(
      besideReplay(sources, 'sdf', 'transcripts') < 0,
      'beside transcripts documents move those near it the other way',
    );
    return {
      sentence: sourced`When RL teaches one character a habit, those near it change ${of('from')} as much, those far from it ${of('farFrom')}, those with another old value ${of('otherFrom')}; when documents teach it the same, those near it ${of('to')}.`,
      beside: [
        sourced`In log-odds; documents taught ${own('characters on whom documents have the effect', units.length)} of ${own('characters', askedIn(sources, AGAIN))}. Documents about it alone: ${alone}; with the others’ transcripts beside both RL ${rl}, documents ${documents}, the other way.`,
      ],
    };
  },
};

// ---- agents --------------------------------------------------------------------------------------------------------

const AGENTS_FILE = 'agents/g1.json.gz';

export const AGENTS: Claim = {
  environment: 'agents',
  asked: { series: 'agents', question: 'G1' },
  written: 'holds',
  judged: ['gain in other universes'],
  // The figures include held-out templates.
  inDemo: null,
  unit: SEEDS,
  source: AGENTS_FILE,
  from: 'Untrained',
  to: 'Paid by a verifier alone',
  measure: 'the agent solves … of the tasks in other universes',
  others: {
    templatesFrom: 'Untrained: tasks of new templates',
    templatesTo: 'Paid by a verifier alone: tasks of new templates',
  },
  read: (sources) =>
    armRunsBySeed(sources.runs(AGENTS_FILE), 'none')
      .filter(({ spec }) => spec.softJudge === 'verifier')
      .map((run) => {
        const solve = (model: string, split?: string) => solveOf(finalRow(run, model), split);
        const others = { templatesFrom: solve('base', 'templates'), templatesTo: solve('total', 'templates') };
        return { of: seedName(run), from: solve('base'), to: solve('total'), others };
      }),
  words: (of) => ({
    sentence: sourced`Paid by a verifier alone, the agent solves ${of('to')} of the tasks in other universes (untrained ${of('from')}), of new templates ${of('templatesTo')} (${of('templatesFrom')}).`,
    beside: [],
  }),
};

// ---- lookup --------------------------------------------------------------------------------------------------------

const LOOKUP_FILE = 'agents/lookup.json.gz';

/** A metric on one split of the final evaluation. Throws RangeError if it was not measured. */
function splitMetric(run: RunRecord, model: string, split: string, metric: string): number {
  const rates = finalRow(run, model)?.splits[split];
  const value = rates ? metricValue(rates, metric) : null;
  if (value === null) throw new RangeError(`${run.id}: no ${metric} of ${model} in ${split}`);
  return value;
}

export const LOOKUP: Claim = {
  environment: 'lookup',
  asked: { series: 'agents', question: 'L1' },
  written: 'holds',
  judged: ['right answers, trained − base'],
  inDemo: { chart: 'solve', from: null, to: 'none/41' },
  unit: SEEDS,
  source: LOOKUP_FILE,
  from: 'Untrained',
  to: 'Paid for right answers',
  measure: 'the model solves … of the questions',
  second: 'asking its tools',
  others: {
    knownFrom: 'Untrained: questions of known shapes',
    knownTo: 'Paid for right answers: questions of known shapes',
    newFrom: 'Untrained: questions of new shapes',
    newTo: 'Paid for right answers: questions of new shapes',
  },
  read: (sources) =>
    armRunsBySeed(sources.runs(LOOKUP_FILE), 'none').map((run) => {
      const [from, to] = ['base', 'total'].map((model) => ({
        solve: final(run, model, 'solve'),
        asked: final(run, model, 'asked'),
        known: splitMetric(run, model, 'params', 'solve'),
        new: splitMetric(run, model, 'shapes', 'solve'),
      }));
      const others = { knownFrom: from.known, knownTo: to.known, newFrom: from.new, newTo: to.new };
      const second = { from: from.asked, to: to.asked };
      return { of: seedName(run), from: from.solve, to: to.solve, second, others };
    }),
  words(of, _sources, units) {
    requireShown(
      units.every(({ second }) => second!.to > second!.from),
      'every seed asks its tools more',
    );
    return {
      sentence: sourced`Paid for right answers, the model solves ${of('to')} of the questions (untrained ${of('from')}), of known shapes ${of('knownTo')} (${of('knownFrom')}), of new shapes ${of('newTo')} (${of('newFrom')}), and asks its tools more (${of('secondTo')} against ${of('secondFrom')}).`,
      beside: [],
    };
  },
};
