// Live rollouts: any number of episodes of a stepwise environment. The engine keeps one key/value cache for all turns of a batch:
// what the environment shows after a turn is appended to it, and while one environment thinks the other episodes go on. A run of
// one turn is one plain generation.

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
  /** The sampling key of a turn (0, 1, …): fixed by what the episode is, not by when it is run. */
  key: (turn: number) => Key;
}

/** The turns of an episode, and why it went no further; `end` is absent in a run of one turn (whose `ended` says it), and where nothing
 *  was asked. */
interface PlayedTurns {
  turns: Turn[];
  end?: EpisodeEnd;
}

export interface RolloutSettings extends EpisodeBudgets {
  temperature: number;
  /** Counts thoughts; none is counted where absent. */
  thinking?: Thinking;
  /** Tokens that a thought may have, with one turn; 0 or absent: as many as the turn. */
  thinkingBudget?: number;
  signal?: AbortSignal;
  onProgress?: (tokens: number, running: number) => void;
  /** See GenerateRequest's. */
  breathe?: GenerateRequest['breathe'];
  willScore?: GenerateRequest['willScore'];
  kvCache?: GenerateRequest['kvCache'];
  /** Tokens that went through the model; only with more than one turn. */
  onWork?: (work: RolloutWork) => void;
}

export interface RolloutPorts<Task, State> {
  /** The parts of the policy that rollouts need. */
  policy: Pick<Policy, 'generate' | 'generateEpisodes'>;
  codec: TextCodec;
  dynamics: Dynamics<Task, State>;
}

/** An episode that has something to answer. */
interface ActiveEpisode<Task, State> extends Episode<Task> {
  state: State;
  /** Index into the request's prompts. */
  prompt: number;
  /** Text that is shown next: at first the prompt. */
  text: string;
  ids: readonly number[];
  turns: Turn[];
}

/** Every episode, in the order given. Equal prompts are prefilled once, and no token twice. */
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

/** Rollouts of one turn each, which a policy that can only generate can make. */
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
 * One turn each, whose thought may have so many tokens: where it has not ended by then, the model is shown its end and goes on with
 * its answer. The end is part of what was written, and not trained on, as an observation is. Thought, end and answer have maxNew
 * tokens together. Throws SpecError where that leaves none for an answer.
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
      // An answer that was cut off, or had no thought, goes on as it is.
      return isUnclosed(codec.decode(tokens), opensThoughtIn(codec, asked[i].ids)) ? forced : [];
    },
  });
  for (const [i, { tokens, logprobs, turns }] of sampled.entries()) {
    const one = asked[i];
    const [first, second = first] = turns;
    const isForced = second.from > first.to;
    // Without an end in between, two turns are one text.
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

/** `places`: of each episode that is asked anything, where it is among all. */
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

/** The environment's reply to the last turn; null where the episode is over. */
async function environmentReply<Task, State>(
  dynamics: Dynamics<Task, State>,
  one: ActiveEpisode<Task, State>,
  thinking: Thinking = 'keep',
): Promise<string | null> {
  // A thought is no part of what is done.
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
  // The end token ends the turn; it is scored, but it is not part of the text.
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

/** Places in `tasks`, by what is shown first; equal ones, and those of which nothing is asked, as they are. */
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
