// Live rollouts: any number of episodes of a stepwise environment, advanced together, one batch of the policy a turn.
import type { Policy } from '../engine/types.ts';
import type { Environment, Turn } from '../environments/types.ts';
import type { Key } from '../rng/threefry.ts';
import type { TextCodec } from '../text/types.ts';

export interface Episode<Task> {
  task: Task;
  /** The sampling key of a turn (0, 1, …): fixed by what the episode is, not by when it is run. */
  key: (turn: number) => Key;
}

export interface RolloutSettings {
  maxNew: number;
  temperature: number;
  signal?: AbortSignal;
  onProgress?: (tokens: number, running: number) => void;
}

export interface RolloutPorts<Task, State> {
  /** All that is asked of it. */
  policy: Pick<Policy, 'generate'>;
  codec: TextCodec;
  environment: Environment<Task, State>;
}

/** The turns of every episode, in the order given. Equal prompts of a turn are prefilled once. */
export async function rollOut<Task, State>(
  { policy, codec, environment }: RolloutPorts<Task, State>,
  episodes: readonly Episode<Task>[],
  { maxNew, temperature, signal, onProgress }: RolloutSettings,
): Promise<Turn[][]> {
  const turns: Turn[][] = episodes.map(() => []);
  const states = episodes.map(({ task }) => environment.begin(task));
  for (;;) {
    const asked = states.flatMap((state, episode) => {
      const seen = environment.observe(state);
      return seen.kind === 'prompt' ? [{ episode, text: seen.text }] : [];
    });
    if (asked.length === 0) return turns;
    const texts = [...new Set(asked.map(({ text }) => text))];
    const prompts = texts.map((text) => codec.encode(text));
    const place = new Map(texts.map((text, i) => [text, i]));
    const written = await policy.generate({
      prompts,
      sequences: asked.map(({ episode, text }) => ({
        prompt: place.get(text)!,
        key: episodes[episode].key(turns[episode].length),
      })),
      maxNew,
      temperature,
      endTokens: codec.endTokens,
      signal,
      onProgress,
    });
    for (const [i, { episode, text }] of asked.entries()) {
      const { tokens, logprobs, ended } = written[i];
      // The end token ends the turn; it is scored, but it is no part of what was said.
      const completion = codec.decode(ended ? tokens.slice(0, -1) : tokens);
      turns[episode].push({
        prompt: text,
        completion,
        promptIds: prompts[place.get(text)!],
        completionIds: tokens,
        logprobs,
        ended,
      });
      states[episode] = await environment.act(states[episode], completion);
    }
  }
}
