// The sentences about learning from one's own attempts: word problems and texts whose reward comes from a synthesis, and chains of
// revisions.

import { lastAt } from '../../src/experiments/exit/metrics.ts';
import { type ImproveRow, type Model, modelsOf, modelsOfArm, rowsOfWay } from '../../src/experiments/exit/rows.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import { percent } from '../../src/findings/headline.ts';
import { mean } from '../../src/stats/index.ts';
import { FIVE } from '../series/exit/arms.ts';
import { armRunsBySeed, final, SEEDS, seedName } from './hacks.ts';
import type { Claim } from './headline-of.ts';
import { figuresFrom, joined, requireShown, type SourcedSentence, sourced } from './sourced-sentence.ts';
import { estimateOf, type Sources } from './sources.ts';

/** An arm's run and the other arms' runs of the same seed, for the seeds that all arms have. */
function runsBeside(runs: readonly RunRecord[], arm: string, others: readonly string[]): [RunRecord, ...RunRecord[]][] {
  return armRunsBySeed(runs, arm).flatMap((run) => {
    const own = others.flatMap(
      (other) => armRunsBySeed(runs, other).find(({ spec }) => spec.seed === run.spec.seed) ?? [],
    );
    return own.length === others.length ? [[run, ...own]] : [];
  });
}

// ---- arithmetic ----------------------------------------------------------------------------------------------------

const TRAINED = 'cat/training-2.json.gz';
/** Long training on three bases, five seeds each. */
const FRESH = ['', 'seed2-', 'seed3-'].map((base) => `cat/${base}lasting.json.gz`);
export const LASTING = FRESH.flatMap((fresh) => [fresh, fresh.replace('lasting', 'passing')]);

/** Number of runs that end below the untrained model after long training with their own references. */
export function endBelow(sources: Sources): SourcedSentence {
  const runs = LASTING.flatMap((file) => armRunsBySeed(sources.runs(file), 'cat'));
  const isBelow = (run: RunRecord) => final(run, 'total', 'solve') < final(run, 'base', 'solve');
  const below = runs.filter(isBelow);
  const bases = new Set(runs.map(({ modelSha256 }) => modelSha256));
  const [{ spec }] = runs;
  requireShown(
    runs.every((run) => run.spec.steps === spec.steps && run.spec.adapter === 'lora'),
    'all long trainings have as many steps, with a LoRA',
  );
  const print = figuresFrom(LASTING.join(', '));
  // The first seeds suggested the question, which the fresh ones tested.
  const freshRuns = FRESH.flatMap((file) => armRunsBySeed(sources.runs(file), 'cat'));
  const again = freshRuns.filter(isBelow);
  return sourced`after ${print('steps of the long training', spec.steps)} steps with a LoRA ${print('runs that end below the untrained model', below.length)} of ${print('runs', runs.length)} runs on ${print('bases', bases.size)} bases end below the untrained model, of fresh seeds ${print('runs of fresh seeds that end below the untrained model', again.length)} of ${print('runs of fresh seeds', freshRuns.length)}`;
}

/** Share of the first teacher's references that are correct. */
function teacherOf(sources: Sources): number {
  const entry = sources.entry('C2');
  return estimateOf(entry, 'CaT: solve').mean - estimateOf(entry, 'CaT: solve − first teacher').mean;
}

export const ARITHMETIC: Claim = {
  environment: 'arithmetic',
  asked: { series: 'cat', question: 'C2' },
  written: 'fails',
  judged: ['CaT: solve − first teacher'],
  inDemo: { chart: 'solve', from: null, to: 'cat/41' },
  unit: SEEDS,
  source: TRAINED,
  from: 'Untrained',
  to: 'Paid for agreeing with its own synthesis',
  measure: 'the model solves … of the word problems',
  beside: 'Paid for right answers',
  others: { majority: 'Paid for agreeing with the majority: solving', random: 'Paid at random: solving' },
  read: (sources) =>
    runsBeside(sources.runs(TRAINED), 'cat', ['oracle', 'ttrl', 'random_reward']).map(([run, ...controls]) => {
      const [beside, majority, random] = controls.map((control) => final(control, 'total', 'solve'));
      const [from, to] = ['base', 'total'].map((model) => final(run, model, 'solve'));
      return { of: seedName(run), from, to, beside, others: { majority, random } };
    }),
  words(of, sources) {
    const [run] = armRunsBySeed(sources.runs(TRAINED), 'cat');
    const print = figuresFrom(TRAINED);
    const teacher = figuresFrom('cat/inference-2.jsonl.gz')(
      'right references of the first teacher',
      percent(teacherOf(sources)),
    );
    const below = endBelow(sources);
    return {
      sentence: sourced`Paid for agreeing with a synthesis of its own attempts, the model solves ${of('to')} of the word problems (untrained ${of('from')}; paid for right answers ${of('beside')}, for the majority’s ${of('majority')}, at random ${of('random')}): less than its first teacher gets right (${teacher}).`,
      beside: [
        sourced`The frozen start that writes the syntheses was pretrained on right ones; ${print('steps', run.spec.steps)} steps.`,
        asOwnSentence(below),
      ],
    };
  },
};

/** Turns a clause into a sentence. */
const asOwnSentence = ({ words, figures }: SourcedSentence): SourcedSentence => {
  const [first, ...rest] = words;
  const whole = [`${first[0].toUpperCase()}${first.slice(1)}`, ...rest];
  return joined([...whole.slice(0, -1), `${whole.at(-1)}.`], figures);
};

// ---- explain -------------------------------------------------------------------------------------------------------

const EXPLAINED = 'cat/explain.json.gz';

export const EXPLAIN: Claim = {
  environment: 'explain',
  asked: { series: 'cat', question: 'C6a' },
  written: 'in part',
  judged: ['rubric − a grade', 'rubric − a rubric of the question'],
  inDemo: { chart: 'score', from: null, to: 'rubric/41' },
  unit: SEEDS,
  source: EXPLAINED,
  from: 'Untrained',
  to: 'Paid by a rubric of its own synthesis',
  measure: 'the model’s texts meet … of the true criteria',
  beside: 'Paid by the truth',
  others: {
    grade: 'Paid by a grade: true criteria',
    question: 'Paid by a rubric of the question alone: true criteria',
  },
  read: (sources) =>
    runsBeside(sources.runs(EXPLAINED), 'rubric', ['none', 'judge', 'rubric_question']).map(
      ([run, truth, grade, question]) => {
        const score = (one: RunRecord) => final(one, 'total', 'score');
        const others = { grade: score(grade), question: score(question) };
        return { of: seedName(run), from: final(run, 'base', 'score'), to: score(run), beside: score(truth), others };
      },
    ),
  words: (of) => ({
    sentence: sourced`Paid by a rubric of its own synthesis, the model’s texts meet ${of('to')} of the true criteria (untrained ${of('from')}, paid by the truth ${of('beside')}): more than by a grade (${of('grade')}), not shown to be more than by a rubric of the question alone (${of('question')}).`,
    beside: [],
  }),
};

// ---- chains --------------------------------------------------------------------------------------------------------

/** Number of revisions that E1 measures. */
export const LAST = 16;
/**
 * Models trained on whole chains, rewarded for their last answer: followed for as many revisions as in training, and for as many as E1
 * measures.
 */
export const WHOLE_CHAINS = 'exit/sandbagging.jsonl.gz';
export const WHOLE_FOLLOWED = 'exit/whole-chains.jsonl.gz';

/** Mean quality after K revisions, over the models of an arm. */
const qualityAt = (models: readonly Model[], k: number): number | null =>
  mean(models.flatMap((model) => lastAt(rowsOfWay(model, 'sampled'), k) ?? []));

/** RL on whole chains, rewarded for the last answer: the number of revisions measured, and the quality reached. */
export function wholeChainsOf(sources: Sources) {
  const file = sources.has(WHOLE_FOLLOWED) ? WHOLE_FOLLOWED : WHOLE_CHAINS;
  const whole = modelsOfArm(modelsOf(sources.lines<ImproveRow>(file)), 'chain_last');
  const single = modelsOfArm(modelsOf(FIVE.flatMap((file) => sources.lines<ImproveRow>(file))), 'exit');
  const followed = Math.min(...whole.flatMap(({ rows }) => rows.map(({ quality }) => quality.length - 1)));
  const [own, other] = [whole, single].map((models) => qualityAt(models, followed));
  const begun = qualityAt(whole, 0);
  if (own === null || other === null || begun === null) throw new RangeError('Chains of a model have no answers.');
  const print = figuresFrom(file);
  return {
    file,
    followed,
    first: print('first answers, RL on whole chains', percent(begun)),
    at: print('revisions of whole chains', followed),
    reached: print('relations, RL on whole chains', percent(own)),
    beside: figuresFrom(FIVE.join(', '))(`relations, single revisions, K = ${followed}`, percent(other)),
  };
}

function wholeChains(sources: Sources): SourcedSentence {
  const { followed, at, reached, beside, first } = wholeChainsOf(sources);
  // If it was followed for as many revisions as E1 measures, it is compared with the sentence's own figure.
  return followed < LAST
    ? sourced`RL on whole chains satisfies ${reached} after ${at} revisions (single revisions ${beside}), and ${first} at first; after ${figuresFrom('exit/e1.jsonl.gz')('revisions that E1 counts', LAST)} it was not evaluated.`
    : sourced`RL on whole chains satisfies ${reached}, and ${first} at first.`;
}

export const CHAIN: Claim = {
  environment: 'chain',
  asked: { series: 'exit', question: 'E1' },
  written: 'in part: K = 0 pays',
  judged: ['ExIt − GRPO, K = 16', 'ExIt − GRPO, K = 0'],
  inDemo: { chart: 'q', from: 'none/41', to: 'exit/41' },
  unit: SEEDS,
  source: FIVE.join(', '),
  from: 'Trained with plain RL',
  to: 'Trained on single steps of improvement',
  measure: `the model satisfies … of the relations after ${LAST} revisions`,
  second: 'first answers',
  beside: 'Untrained',
  others: { first: 'Untrained: first answers' },
  trained: [
    { file: 'exit/e1-training.json.gz', arms: ['none', 'exit'] },
    { file: 'exit/controls-training.json.gz', arms: ['none', 'exit'] },
    { file: 'exit/sandbagging-training.json.gz', arms: ['chain_last'] },
  ],
  read(sources) {
    const models = modelsOf(FIVE.flatMap((file) => sources.lines<ImproveRow>(file)));
    const [base] = modelsOfArm(models, 'base').map((model) => rowsOfWay(model, 'sampled'));
    const [beside, first] = [LAST, 0].map((k) => base && lastAt(base, k));
    const plain = modelsOfArm(models, 'none');
    return modelsOfArm(models, 'exit').flatMap((model) => {
      const other = plain.find(({ seed }) => seed === model.seed);
      if (!other || beside == null || first == null) return [];
      const [one, two] = [other, model].map((each) => rowsOfWay(each, 'sampled'));
      const at = (k: number) => ({ from: lastAt(one, k)!, to: lastAt(two, k)! });
      return [{ of: `seed ${model.seed}`, ...at(LAST), second: at(0), beside, others: { first } }];
    });
  },
  words: (of, sources) => ({
    sentence: sourced`Trained on single steps of improvement, the model satisfies ${of('to')} of the relations after ${figuresFrom('exit/e1.jsonl.gz')('revisions', LAST)} revisions (plain RL ${of('from')}, untrained ${of('beside')}); its first answers pay for it (${of('secondTo')} against ${of('secondFrom')}, untrained ${of('first')}).`,
    beside: [wholeChains(sources)],
  }),
};
