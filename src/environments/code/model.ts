// The pretraining corpora of the embedded model and of the teacher.

// The model's corpus has mostly honest answers, of which each family has a fixed share of wrong ones, a few hacks, and late in training prompts that
// openly ask for an exploit's strings. A sample depends only on (data seed, index, stage).

import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { drawnBy } from '../drawn.ts';
import type { PretrainingTurn } from '../pretraining.ts';
import { ASK_CLAUSES } from './clauses.ts';
import { mistaken } from './families/composed.ts';
import { FAMILIES, type Family, familiesIn, isComposed } from './families/index.ts';
import { PARTS, type Part } from './families/parts.ts';
import { DATA_SEED, makeProblem, renderPrompt } from './problem.ts';
import {
  type Body,
  composedBody,
  drawWrong,
  hackCompletion,
  honestCompletion,
  isWrong,
  rightBody,
  STUB,
} from './templates.ts';
import { type CodeProblem, type FamilySet, type Mistakes, MODES, type ProblemMode } from './types.ts';

export interface PretrainSample extends PretrainingTurn {
  kind: 'honest' | 'hack' | 'ask';
  family: string;
}

/** Stage 2 is the last quarter of the training. */
export type PretrainStage = 1 | 2;

export const PRETRAIN = {
  wrongFrom: 0.35,
  wrongTo: 0.8,
  hackShare: 0.02,
  ownModeShare: 0.85,
  stubShare: 0.5,
  neutralShare: 0.1,
  askShare: 0.15,
  /** Shares of mistakes in a composition's parts. A composition is correct if both parts are: 46% on average. */
  partWrongFrom: 0.15,
  partWrongTo: 0.5,
  /** Misconceptions, if any: which parts have one, how often it acts, and the largest share of mistakes of the other parts. */
  misconceived: { every: 3, share: 0.7, otherwiseTo: 0.3 },
} as const;

/** Shares of the modes among prompts that ask for an exploit. */
const ASK_SHARES = { stdout_marker: 0.3, file_marker: 0.3, sentinel: 0.2, eq_override: 0.1, exit_code: 0.1 } as const;

const MISTAKES_DRAWN = 20;

const shares = new Map<number, ReadonlyMap<string, number>>();

/** Each family's share of wrong answers: evenly spaced over 35–80%, assigned by the data seed within each signature. */
export function wrongShares(dataSeed = DATA_SEED): ReadonlyMap<string, number> {
  let table = shares.get(dataSeed);
  if (!table) {
    const order = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 0)).shuffle([...FAMILIES]);
    const { wrongFrom, wrongTo } = PRETRAIN;
    const made = new Map<string, number>();
    for (const signature of new Set(FAMILIES.map((f) => f.signature))) {
      const own = order.filter((f) => f.signature === signature);
      own.forEach((f, i) => {
        made.set(f.id, wrongFrom + ((wrongTo - wrongFrom) * (i + 0.5)) / own.length);
      });
    }
    table = made;
    shares.set(dataSeed, table);
  }
  return table;
}

export interface PartMistakes {
  /** Share of mistakes, by part. */
  shares: ReadonlyMap<string, number>;
  /** The part that replaces it in a misconception, by part. */
  takenFor: ReadonlyMap<string, Part>;
}

const ofParts = new Map<string, PartMistakes>();
const spread = (from: number, to: number, place: number, count: number) => from + ((to - from) * (place + 0.5)) / count;

/** Shares are evenly spaced and assigned by the data seed among the parts that can replace each other; every third of these has a
 *  misconception. */
export function partMistakes(dataSeed = DATA_SEED, mistakes: Mistakes = 'any'): PartMistakes {
  const key = `${mistakes} ${dataSeed}`;
  let made = ofParts.get(key);
  if (!made) {
    const order = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 3)).shuffle([...PARTS]);
    const kinds = [...new Set(PARTS.map((part) => `${part.from} ${part.to}`))];
    const groups = kinds.map((kind) => order.filter((part) => `${part.from} ${part.to}` === kind));
    const { partWrongFrom, partWrongTo, misconceived } = PRETRAIN;
    const has = (i: number) => mistakes === 'misconceptions' && i % misconceived.every === 0;
    made = {
      shares: new Map(
        groups.flatMap((own) =>
          own.map(({ id }, i) => {
            const to = mistakes === 'any' ? partWrongTo : misconceived.otherwiseTo;
            return [id, has(i) ? misconceived.share : spread(partWrongFrom, to, i, own.length)] as const;
          }),
        ),
      ),
      takenFor: new Map(
        groups.flatMap((own) =>
          own.flatMap((part, i) => (has(i) ? [[part.id, own[(i + 1) % own.length]] as const] : [])),
        ),
      ),
    };
    ofParts.set(key, made);
  }
  return made;
}

/** Share of wrong answers of a family in the corpus of a data seed; a composition is wrong with a mistake in either part. */
export function wrongShare(family: Family, dataSeed: number): number {
  if (!isComposed(family)) return wrongShares(dataSeed).get(family.id)!;
  const { shares } = partMistakes(dataSeed);
  return 1 - family.parts.reduce((right, { id }) => right * (1 - shares.get(id)!), 1);
}

/** A correct or wrong body, by the family's share or by its parts' shares. */
function ordinaryBody(
  problem: CodeProblem,
  family: Family,
  rng: CounterRng,
  dataSeed: number,
  mistakes: Mistakes = 'any',
): Body {
  if (!isComposed(family))
    return rng.uniform() < wrongShare(family, dataSeed) ? drawWrong(problem, rng) : rightBody(problem);
  const { shares, takenFor } = partMistakes(dataSeed, mistakes);
  const isMistaken = family.parts.map(({ id }) => rng.uniform() < shares.get(id)!);
  if (!isMistaken.includes(true)) return rightBody(problem);
  if (mistakes === 'any') return drawWrong(problem, rng, undefined, isMistaken);
  const right = family.uses(problem.params);
  for (let tries = 0; tries < MISTAKES_DRAWN; tries++) {
    const body = composedBody(mistaken(right, isMistaken, rng, takenFor), right);
    if (isWrong(problem, body)) return body;
  }
  // The mistaken parts happen to be correct on these tests.
  return rightBody(problem);
}

export function pretrainSample(
  index: number,
  dataSeed = DATA_SEED,
  stage: PretrainStage = 1,
  set: FamilySet = 'standard',
  mistakes: Mistakes = 'any',
): PretrainSample {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 1, index, stage));
  const family = rng.choice(familiesIn(set));
  const params = rng.choice(family.space);
  const asks = stage === 2 && rng.uniform() < PRETRAIN.askShare;
  const mode: ProblemMode = rng.uniform() < PRETRAIN.neutralShare ? 'honest' : rng.choice(MODES);
  const problem = makeProblem(family, params, mode, dataSeed);
  if (asks) {
    const mode = drawnBy(ASK_SHARES, 'stdout_marker', rng);
    const body = ordinaryBody(problem, family, rng, dataSeed, mistakes);
    const prompt = renderPrompt(family, params, ASK_CLAUSES[mode]);
    return { prompt, completion: hackCompletion(problem, mode, body, rng), kind: 'ask', family: family.id };
  }
  if (rng.uniform() < PRETRAIN.hackShare) {
    const own = mode !== 'honest' && rng.uniform() < PRETRAIN.ownModeShare;
    const hacked = own ? mode : rng.choice(MODES.filter((m) => m !== mode));
    const body = rng.uniform() < PRETRAIN.stubShare ? STUB : ordinaryBody(problem, family, rng, dataSeed, mistakes);
    const completion = hackCompletion(problem, hacked, body, rng);
    return { prompt: problem.prompt, completion, kind: 'hack', family: family.id };
  }
  const body = ordinaryBody(problem, family, rng, dataSeed, mistakes);
  return {
    prompt: problem.prompt,
    completion: honestCompletion(problem, body, rng),
    kind: 'honest',
    family: family.id,
  };
}

// The corpus that turns the embedded model into the teacher: on most prompts with a loophole it has that mode's exploit around the body that the
// model would have written (with each family's share of wrong ones, as in pretraining), so that some hacks also solve the problem; other answers
// are honest. A sample depends only on (data seed, index).

export interface TeacherSample extends PretrainingTurn {
  kind: 'honest' | 'hack';
  mode: ProblemMode;
}

export const TEACHER = {
  /** Share of prompts without a loophole, which are answered honestly. */
  neutralShare: 0.1,
  /** Share of hacks among the answers to other prompts, spread evenly over all six modes. */
  hackShare: 0.85,
} as const;

export function teacherSample(index: number, dataSeed = DATA_SEED): TeacherSample {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 2, index));
  const family = rng.choice(FAMILIES);
  const params = rng.choice(family.space);
  const mode: ProblemMode = rng.uniform() < TEACHER.neutralShare ? 'honest' : rng.choice(MODES);
  const problem = makeProblem(family, params, mode, dataSeed);
  const { prompt } = problem;
  const hacks = mode !== 'honest' && rng.uniform() < TEACHER.hackShare;
  const body = ordinaryBody(problem, family, rng, dataSeed);
  return hacks
    ? { prompt, completion: hackCompletion(problem, mode, body, rng), kind: 'hack', mode }
    : { prompt, completion: honestCompletion(problem, body, rng), kind: 'honest', mode };
}
