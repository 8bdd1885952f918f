// Joins a rollout's turns into one sequence that is scored and trained. Observations between turns are masked context; an episode of one
// turn has no mask.
import { maskOf, trainedTokens } from '../../engine/episodes/episode.ts';
import type { Sequence, TurnSpan } from '../../engine/types.ts';
import type { Transcript } from '../../environments/pretraining.ts';
import type { Turn } from '../../environments/types.ts';
import type { TextCodec } from '../../text/codec.ts';
import { completionIds, writtenIds } from '../../text/codec.ts';

/** The fields of a turn from which its tokens follow. */
type TurnTokens = Pick<Turn, 'promptIds' | 'completionIds' | 'updateIds' | 'logprobs'>;

export interface EpisodeTokens extends Omit<Sequence, 'segment'> {
  /** Log-probabilities of the trained tokens, recorded when they were written; absent where any turn has none. */
  written?: Float32Array;
  /** The prompt at sampling, where the update's `prompt` is another. */
  sampledUnder?: readonly number[];
  /** Number of trained tokens. */
  trained: number;
}

export type { Transcript } from '../../environments/pretraining.ts';

/** [prompt] [model] [observation] [model] …; null for an episode in which the model wrote no token. */
export function episodeTokens(turns: readonly TurnTokens[]): EpisodeTokens | null {
  const [first, ...rest] = turns;
  if (!first) return null;
  const completion = [...first.completionIds];
  const spans: Pick<TurnSpan, 'from' | 'to'>[] = [{ from: 0, to: completion.length }];
  for (const { promptIds, completionIds } of rest) {
    const from = completion.length + promptIds.length;
    for (const id of promptIds) completion.push(id);
    for (const id of completionIds) completion.push(id);
    spans.push({ from, to: completion.length });
  }
  const mask = rest.length > 0 ? { mask: maskOf(spans, completion.length) } : {};
  const written = writtenBy(turns);
  const { promptIds, updateIds } = first;
  const sequence = { prompt: updateIds ?? promptIds, completion, ...mask };
  return {
    ...sequence,
    trained: trainedTokens(sequence),
    ...(updateIds && { sampledUnder: promptIds }),
    ...(written && { written }),
  };
}

/** A transcript as one training sequence, tokenized turn by turn like a sampled episode. Only the model's turns and their end tokens are
 *  trained. A single turn has no mask. */
export function transcriptTokens(
  codec: TextCodec,
  { prompt, completion, further = [] }: Transcript,
): Pick<Sequence, 'prompt' | 'completion' | 'mask'> {
  const turns = [{ prompt, completion }, ...further].map((turn) => ({
    promptIds: codec.encodeChat(turn.prompt),
    completionIds: completionIds(codec, turn.completion),
  }));
  const { prompt: first, completion: rest, mask } = episodeTokens(turns) as EpisodeTokens;
  return { prompt: first, completion: rest, ...(mask && { mask }) };
}

/** A text in parts as one training sequence: leading context is the prompt; later context is masked. */
export function partTokens(
  codec: TextCodec,
  parts: readonly { text: string; isTrained: boolean }[],
): Pick<Sequence, 'prompt' | 'completion' | 'mask'> {
  const from = parts.findIndex(({ isTrained }) => isTrained);
  const prompt = parts.slice(0, from).flatMap(({ text }) => codec.encodeChat(text));
  const pieces = parts.slice(from).map(({ text, isTrained }) => {
    return { ids: isTrained ? writtenIds(codec, text) : codec.encodeChat(text), isTrained };
  });
  const completion = pieces.flatMap(({ ids }) => ids);
  if (pieces.every(({ isTrained }) => isTrained)) return { prompt, completion };
  return { prompt, completion, mask: pieces.flatMap(({ ids, isTrained }) => ids.map(() => isTrained)) };
}

function writtenBy(turns: readonly TurnTokens[]): Float32Array | undefined {
  if (turns.length === 1) return turns[0].logprobs;
  const all: number[] = [];
  for (const { logprobs } of turns) {
    if (!logprobs) return undefined;
    for (const logprob of logprobs) all.push(logprob);
  }
  return Float32Array.from(all);
}
