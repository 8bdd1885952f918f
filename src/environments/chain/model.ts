// The corpus for the embedded model of this environment: answers with mistakes in known shares, and revisions that mend some mistakes and
// sometimes add one. In the first stage nothing is hidden, in the second as much as in the environment. A sample depends only on
// (data seed, index, stage).

import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import type { PretrainingTurn, TokenizerTexts } from '../pretraining.ts';
import { tokenizerOf } from '../tokenizer.ts';
import { drawOf } from './data.ts';
import {
  CHAIN_SHAPE,
  type ChainPuzzle,
  type ChainShape,
  DATA_SEED,
  drawDigit,
  type Kind,
  type Relation,
  resampled,
  revisionOf,
  satisfied,
  taskOf,
} from './task.ts';

export interface PretrainSample extends PretrainingTurn {
  kind: Kind;
}

/** Share of samples that are first answers, and of an answer's digits that are random, by stage. */
const SOLVES = { 1: 0.4, 2: 0.35 } as const;
const SLIPS = { 1: 0.3, 2: 0.25 } as const;
const DIVERGES = 0.07;
/** Probabilities with which each digit of a draft is redrawn. */
export const DRAFT_RATES = [0.1, 0.2, 0.35, 0.5, 0.7, 1] as const;
/** Mending by stage: steps, probability of each step, probability that a digit is overwritten afterwards. The first stage mends all that
 *  these steps can, so that the marks are learnt; in the second, revisions are poor enough to leave room for improvement. */
const MENDS = { 1: { steps: 4, rate: 1, breaks: 0 }, 2: { steps: 2, rate: 0.7, breaks: 0.25 } } as const;

export function pretrainSample(
  index: number,
  dataSeed = DATA_SEED,
  stage: 1 | 2 = 2,
  whole: ChainShape = CHAIN_SHAPE,
): PretrainSample {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 6, index));
  const shape = stage === 1 ? { ...whole, hidden: 0 } : whole;
  const puzzle = drawOf('training', rng, shape);
  const u = rng.uniform();
  if (u < SOLVES[stage]) {
    const row = resampled(puzzle.planted, SLIPS[stage], shape, rng);
    return { prompt: taskOf(puzzle).prompt, completion: row.join(''), kind: 'solve' };
  }
  const draft = resampled(puzzle.planted, rng.choice(DRAFT_RATES), shape, rng);
  const kind = u < SOLVES[stage] + DIVERGES ? 'diverge' : 'improve';
  const row =
    kind === 'diverge' ? resampled(puzzle.planted, SLIPS[stage], shape, rng) : mended(puzzle, draft, stage, rng);
  return { prompt: revisionOf(puzzle, draft.join(''), 1, kind).prompt, completion: row.join(''), kind };
}

function mended(puzzle: ChainPuzzle, draft: readonly number[], stage: 1 | 2, rng: CounterRng): number[] {
  const { steps, rate, breaks } = MENDS[stage];
  let row = [...draft];
  for (let step = 0; step < steps; step++) if (rng.uniform() < rate) row = minConflict(puzzle, row, rng);
  if (rng.uniform() < breaks) row[rng.int(row.length)] = drawDigit(puzzle.shape, rng);
  return row;
}

const broken = (relations: readonly Relation[], row: readonly number[]): number =>
  satisfied(relations, row).filter((isSo) => !isSo).length;

/** Sets a digit beside a broken relation to the value that leaves the fewest broken; returns the row as it is if none is broken. */
export function minConflict({ relations, shape }: ChainPuzzle, row: readonly number[], rng: CounterRng): number[] {
  const holds = satisfied(relations, row);
  const places = row.flatMap((_, i) => (holds[i - 1] === false || holds[i] === false ? [i] : []));
  if (places.length === 0) return [...row];
  const place = rng.choice(places);
  const tried = Array.from({ length: shape.digits }, (_, d) => row.with(place, d + 1));
  const fewest = Math.min(...tried.map((one) => broken(relations, one)));
  return rng.choice(tried.filter((one) => broken(relations, one) === fewest));
}

// The tokenizer of this environment's embedded model, trained on its own corpus: every relation with its mark is one token, and so is
// every digit. `lab pretrain` writes its files; those under public/models/tiny-chain are identical to what this returns.

const CORPUS_SAMPLES = 1000;
const VOCABULARY = 296;

export const tokenizerFileTexts = (dataSeed = DATA_SEED): TokenizerTexts =>
  tokenizerOf(CORPUS_SAMPLES, (index) => pretrainSample(index, dataSeed), VOCABULARY);
