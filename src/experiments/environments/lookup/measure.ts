// What the untrained base of this environment does at temperature 1: whole episodes on questions of both held-out splits. The model's manifest
// records it; a test measures the first round again.
import type { Policy } from '../../../engine/types.ts';
import { lookupEnvironment } from '../../../environments/lookup/environment.ts';
import { gradeLookup } from '../../../environments/lookup/reward.ts';
import { problemsOf, SPLITS } from '../../../environments/lookup/split.ts';
import { type LookupProblem, type LookupVerdict, MOST_TURNS } from '../../../environments/lookup/types.ts';
import { foldIn, keyFor, STREAMS } from '../../../rng/index.ts';
import type { TextCodec } from '../../../text/types.ts';
import { rollOut } from '../../loop/rollouts.ts';
import type { Rates } from '../../records/figures.ts';
import { lookupFigures } from './figures.ts';

/** Shares over episodes, and the mean of their turns: the environment's own figures. */
export interface LookupRates extends Rates {
  splits: Record<string, Rates>;
}

/** A round's size: so many questions of each split, and episodes of each. */
export const ROUND = { problems: 32, samples: 4, maxNew: 24, maxTokens: 160 } as const;

interface Input {
  policy: Policy;
  codec: TextCodec;
  dataSeed: number;
  signal?: AbortSignal;
}

interface Judged {
  task: LookupProblem;
  verdict: LookupVerdict;
  split: string;
}

/** Every round has questions of its own. */
export async function measureLookup(
  input: Input,
  rounds: number,
  onRound?: (done: number) => void,
): Promise<{ all: LookupRates; first: LookupRates }> {
  const judged: Judged[][] = [];
  for (let round = 0; round < rounds; round++) {
    onRound?.(round);
    judged.push(await play(input, round));
  }
  return { all: ratesOf(judged.flat()), first: ratesOf(judged[0]) };
}

async function play({ policy, codec, dataSeed, signal }: Input, round: number): Promise<Judged[]> {
  const { problems, samples, maxNew, maxTokens } = ROUND;
  const episodes = SPLITS.flatMap((split) =>
    problemsOf(split, problems * (round + 1), dataSeed)
      .slice(problems * round)
      .flatMap((task) => Array.from({ length: samples }, () => ({ task, split }))),
  ).map((one, i) => {
    const key = keyFor(round + 1, STREAMS.evaluation, i);
    return { ...one, key: (turn: number) => foldIn(key, turn) };
  });
  const played = await rollOut({ policy, codec, environment: lookupEnvironment }, episodes, {
    ...{ maxNew, maxTokens, maxTurns: MOST_TURNS, temperature: 1, signal },
  });
  return episodes.map(({ task, split }, i) => ({ task, split, verdict: gradeLookup(task, played[i].turns) }));
}

const ratesOf = (judged: readonly Judged[]): LookupRates => ({
  ...lookupFigures(judged),
  splits: Object.fromEntries(SPLITS.map((id) => [id, lookupFigures(judged.filter(({ split }) => split === id))])),
});
