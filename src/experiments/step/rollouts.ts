// Live rollouts: any number of episodes of a multi-turn environment. The engine keeps one key/value cache for all turns of a batch: an
// environment's reply is appended to it, and while one environment computes, other episodes continue. Single-turn runs generate once.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type {
  EpisodeBudgets,
  EpisodeEnd,
  Generated,
  GenerateRequest,
  Policy,
  RolloutWork,
  SampledEpisode,
} from '../../engine/types.ts';
import type { Dynamics, Turn } from '../../environments/types.ts';
import type { Key } from '../../rng/threefry.ts';
import type { TextCodec } from '../../text/codec.ts';
import { FORCED_END, isUnclosed, opensThoughtIn, type Thinking, thoughtTokens } from '../../text/thinking.ts';
import { judgedTurn } from './answers.ts';

interface Episode<Task> {
  task: Task;
  /** The sampling key of a turn (0, 1, …), fixed by the episode's identity and not by when it runs. */
  key: (turn: number) => Key;
}

/** The turns of an episode and why it ended. `end` is absent in single-turn runs (the turn's `ended` says it), and where nothing was
 *  generated. */
interface PlayedTurns {
  turns: Turn[];
  end?: EpisodeEnd;
}

export interface RolloutSettings extends EpisodeBudgets {
  temperature: number;
  /** Counts thoughts; none is counted where absent. */
  thinking?: Thinking;
  /** Most tokens of a thought, in single-turn runs; 0 or absent: as many as the turn. */
  thinkingBudget?: number;
  signal?: AbortSignal;
  onProgress?: (tokens: number, running: number) => void;
  /** See GenerateRequest. */
  breathe?: GenerateRequest['breathe'];
  willScore?: GenerateRequest['willScore'];
  kvCache?: GenerateRequest['kvCache'];
  /** Tokens that went through the model; only in multi-turn runs and with a thinking budget. */
  onWork?: (work: RolloutWork) => void;
}

export interface RolloutPorts<Task, State> {
  /** The parts of the policy that rollouts need. */
  policy: Pick<Policy, 'generate' | 'generateEpisodes'>;
  codec: TextCodec;
  dynamics: Dynamics<Task, State>;
}

/** An episode whose environment showed a prompt. */
interface ActiveEpisode<Task, State> extends Episode<Task> {
  state: State;
  /** Index into the request's prompts. */
  prompt: number;
  /** Text that is shown next; the first one is the prompt. */
  text: string;
  ids: readonly number[];
  turns: Turn[];
}

/** Plays every episode and returns them in the given order. Equal prompts are prefilled once. */
export async function rollOut<Task, State>(
  ports: RolloutPorts<Task, State>,
  episodes: readonly Episode<Task>[],
  settings: RolloutSettings,
): Promise<PlayedTurns[]> {
  if (settings.maxTurns === 1)
    return settings.thinkingBudget
      ? rollOutBudgeted(ports, episodes, { ...settings, thinkingBudget: settings.thinkingBudget })
      : rollOutOnce(ports, episodes, settings);
  const { policy, codec, dynamics } = ports;
  const { asked, places, prompts } = openEpisodes(codec, dynamics, episodes);
  const { maxNew, maxTokens, maxTurns, temperature, kvCache, thinking, signal, onProgress, breathe, onWork } = settings;
  const sampled: SampledEpisode[] = await policy.generateEpisodes({
    prompts,
    sequences: asked,
    maxNew,
    maxTokens,
    maxTurns,
    temperature,
    kvCache,
    signal,
    onProgress,
    breathe,
    onWork,
    endTokens: codec.endTokens,
    act: async (i, { tokens, logprobs, ended }) => {
      const one = asked[i];
      one.turns.push(turnOf(codec, one, { tokens, logprobs, ended }, thinking));
      const shown = await environmentReply(dynamics, one, thinking);
      if (shown === null) return null;
      one.text = shown;
      one.ids = codec.encodeChat(shown);
      return one.ids;
    },
  });
  return inEpisodeOrder(episodes.length, places, (i) => ({ turns: asked[i].turns, end: sampled[i].ended }));
}

/** Single-turn rollouts, for a policy that can only generate. */
export async function rollOutOnce<Task, State>(
  { policy, codec, dynamics }: Omit<RolloutPorts<Task, State>, 'policy'> & { policy: Pick<Policy, 'generate'> },
  episodes: readonly Episode<Task>[],
  {
    maxNew,
    temperature,
    thinking,
    signal,
    onProgress,
    breathe,
    willScore,
    kvCache,
  }: Omit<RolloutSettings, 'maxTokens' | 'maxTurns' | 'onWork' | 'thinkingBudget'>,
): Promise<PlayedTurns[]> {
  const { asked, places, prompts } = openEpisodes(codec, dynamics, episodes);
  const written =
    asked.length === 0
      ? []
      : await policy.generate({
          prompts,
          sequences: asked.map(({ prompt, key }) => ({ prompt, key: key(0) })),
          maxNew,
          temperature,
          signal,
          onProgress,
          breathe,
          willScore,
          kvCache,
          endTokens: codec.endTokens,
        });
  for (const [i, one] of asked.entries()) one.turns.push(turnOf(codec, one, written[i], thinking));
  await Promise.all(asked.map((one) => environmentReply(dynamics, one, thinking)));
  return inEpisodeOrder(episodes.length, places, (i) => ({ turns: asked[i].turns }));
}

/**
 * Single-turn rollouts with a budget for thoughts. A thought that has not ended by then gets its end tokens appended, and the model continues
 * with its answer. These tokens are part of the completion and, like an observation, not trained. Thought, end and answer share maxNew
 * tokens. Throws SpecError where no token is left for an answer.
 */
async function rollOutBudgeted<Task, State>(
  { policy, codec, dynamics }: RolloutPorts<Task, State>,
  episodes: readonly Episode<Task>[],
  settings: RolloutSettings & { thinkingBudget: number },
): Promise<PlayedTurns[]> {
  const { maxNew, temperature, kvCache, thinking, thinkingBudget, signal, onProgress, breathe, onWork } = settings;
  const forced = codec.encode(FORCED_END);
  if (thinkingBudget + forced.length >= maxNew)
    throw new SpecError(
      `thinkingBudget = ${thinkingBudget} and the ${forced.length} tokens that end a thought leave no answer of maxNew = ${maxNew} tokens`,
      'Lower thinkingBudget, or raise maxNew.',
    );
  const { asked, places, prompts } = openEpisodes(codec, dynamics, episodes);
  const sampled = await policy.generateEpisodes({
    prompts,
    sequences: asked,
    maxNew,
    maxTokens: maxNew,
    maxTurns: 2,
    firstTurn: thinkingBudget,
    temperature,
    kvCache,
    signal,
    onProgress,
    breathe,
    onWork,
    endTokens: codec.endTokens,
    act: async (i, { turn, tokens, ended }) => {
      if (turn > 0 || ended) return null;
      // An answer that was cut off, or that had no thought, continues unchanged.
      return isUnclosed(codec.decode(tokens), opensThoughtIn(codec, asked[i].ids)) ? forced : [];
    },
  });
  for (const [i, { tokens, logprobs, turns }] of sampled.entries()) {
    const one = asked[i];
    const [first, second = first] = turns;
    const isForced = second.from > first.to;
    // Without forced end tokens in between, two turns are one text.
    const until = isForced ? first : second;
    const length = until.to - first.from;
    const written = { tokens: tokens.slice(0, length), logprobs: logprobs.slice(0, length), ended: until.ended };
    one.turns.push(turnOf(codec, one, written, thinking));
    if (!isForced) continue;
    const after = { text: FORCED_END, ids: forced };
    const { from, to, ended } = second;
    const rest = { tokens: tokens.slice(from, to), logprobs: logprobs.slice(length), ended };
    const thought = thinking && { tokens: 0, isUnclosed: false, isOpened: false };
    one.turns.push({ ...turnOf(codec, after, rest), ...(thought && { thought }) });
  }
  await Promise.all(asked.map((one) => environmentReply(dynamics, one, thinking)));
  return inEpisodeOrder(episodes.length, places, (i) => ({ turns: asked[i].turns }));
}

/** `places`: the index of each active episode among all episodes. */
function openEpisodes<Task, State>(
  codec: TextCodec,
  dynamics: Dynamics<Task, State>,
  episodes: readonly Episode<Task>[],
) {
  const active: ActiveEpisode<Task, State>[] = [];
  const places: number[] = [];
  const prompts: number[][] = [];
  const known = new Map<string, number>();
  for (const [place, episode] of episodes.entries()) {
    const state = dynamics.begin(episode.task);
    const seen = dynamics.observe(state);
    if (seen.kind === 'end') continue;
    const { text } = seen;
    const prompt = known.get(text) ?? prompts.push(codec.encodeChat(text)) - 1;
    known.set(text, prompt);
    active.push({ ...episode, state, prompt, text, ids: prompts[prompt], turns: [] });
    places.push(place);
  }
  return { asked: active, places, prompts };
}

/** The environment's reply to the last turn; null if the episode is over. */
async function environmentReply<Task, State>(
  dynamics: Dynamics<Task, State>,
  one: ActiveEpisode<Task, State>,
  thinking: Thinking = 'keep',
): Promise<string | null> {
  // The environment acts on the answer without its thought.
  const { completion, ended } = judgedTurn(one.turns, thinking)!;
  one.state = await dynamics.act(one.state, completion, ended);
  const seen = dynamics.observe(one.state);
  return seen.kind === 'prompt' ? seen.text : null;
}

function turnOf(
  codec: TextCodec,
  { text, ids }: { text: string; ids: readonly number[] },
  { tokens, logprobs, ended }: Generated,
  thinking?: Thinking,
): Turn {
  // The end token is scored, but it is not part of the text.
  const writtenTokens = ended ? tokens.slice(0, -1) : tokens;
  const completion = codec.decode(writtenTokens);
  const turn = { prompt: text, completion, promptIds: ids, completionIds: tokens, logprobs, ended };
  if (!thinking) return turn;
  const isOpened = opensThoughtIn(codec, ids);
  const length = thoughtTokens(codec, writtenTokens, completion, isOpened);
  return { ...turn, thought: { tokens: length, isUnclosed: isUnclosed(completion, isOpened), isOpened } };
}

function inEpisodeOrder(count: number, places: readonly number[], of: (i: number) => PlayedTurns): PlayedTurns[] {
  const played = Array.from({ length: count }, (): PlayedTurns => ({ turns: [] }));
  for (const [i, place] of places.entries()) played[place] = of(i);
  return played;
}

/** Indices into `tasks`, sorted by first prompt; the sort is stable, and tasks without a prompt keep their order. */
export function promptOrder<Task, State>(
  environment: Pick<Dynamics<Task, State>, 'begin' | 'observe'>,
  tasks: readonly Task[],
): number[] {
  const texts = tasks.map((task) => {
    const seen = environment.observe(environment.begin(task));
    return seen.kind === 'prompt' ? seen.text : '';
  });
  return [...texts.keys()].sort((a, b) => (texts[a] < texts[b] ? -1 : texts[a] > texts[b] ? 1 : a - b));
}
