// Samples of an Inspect log as rollouts: one turn per answer of the model, with what it was shown before. The epochs of a sample are the members
// of a group. Contents that a rollout cannot show (pictures, events, texts that are too long) are counted and named, never dropped silently.
import { ownOf, setOwn } from '@projected-grpo-lab/base/own.ts';
import { START_OF_TURN, turnOf } from '../../text/chatml.ts';
import type { RolloutLabel, RolloutRecord } from '../records/events.ts';
import { ROLLOUT_LABELS } from '../records/rollout-labels.ts';
import { rewardOf, scoreNumber } from './log-presentation.ts';
import { type LogHeader, type LogMessage, type LogSample, MOST_CHARACTERS } from './log-schema.ts';

/** Most turns of a rollout, as for stored ones. */
const MOST_TURNS = 256;
/** Most characters of a score's text, answer or explanation, as in a stored verdict. */
const MOST_NOTE = 2000;
/** Most characters of a name, which is drawn on one line. */
const MOST_NAME = 200;
/** Most scorers that become filters and facts. */
const MOST_SCORERS = 64;
/** Number of prompts per part in a log without training steps, so that no part fills the page. */
const PROMPTS_PER_PART = 50;

type Verdict = RolloutRecord['verdict'];
type Turn = RolloutRecord['turns'][number];

/** A sample as a rollout, before its position among the others is known. */
export interface ReadSample extends Pick<RolloutRecord, 'source' | 'turns' | 'advantage' | 'verdict' | 'label'> {
  id: string;
  epoch: number;
  /** Names of the sample's scores. */
  scorers: string[];
  /** Training step, prompt, problem and kind in a log written by a trainer; otherwise null. */
  step: number | null;
  prompt: number | null;
  problem: string | null;
  kind: string | null;
}

export function readSample(sample: LogSample): ReadSample {
  const { id, epoch, target, scores, error, limit } = sample;
  const metadata = sample.metadata ?? {};
  const left = new LeftOut();
  const turns = turnsOf(sample, left);
  const verdict: Verdict = {};
  const note = (name: string, value: unknown) => {
    if (typeof value === 'string' && value !== '') setOwn(verdict, name, cutAt(value, MOST_NOTE));
  };
  note('target', typeof target === 'string' ? target : target?.join('\n'));
  note('error', error?.message);
  note('limit', limit?.type);
  const scorers: string[] = [];
  for (const [name, { value, answer, explanation }] of Object.entries(scores ?? {})) {
    note(`${name}: answer`, answer);
    note(`${name}: explanation`, explanation);
    for (const [part, own] of partsOf(name, value)) {
      setOwn(verdict, part, own);
      scorers.push(part);
    }
  }
  for (const what of ['events', 'store'] as const) left.add(Object.keys(sample[what] ?? {}).length, what);
  note('not shown', left.text());
  const whole = (value: unknown) => (Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null);
  const words = (value: unknown) => (typeof value === 'string' ? cutAt(value, MOST_NAME) : null);
  return {
    id: String(id),
    epoch,
    scorers,
    step: whole(metadata.step),
    prompt: whole(metadata.prompt_index),
    problem: words(metadata.problem),
    kind: words(metadata.loophole),
    source: metadata.source === 'teacher' ? 'teacher' : 'student',
    turns,
    advantage: typeof metadata.advantage === 'number' ? metadata.advantage : Number.NaN,
    verdict,
    label: labelOf(metadata),
  };
}

/** The label that the lab's own log carries. */
function labelOf({ label, label_note: note }: Readonly<Record<string, unknown>>): RolloutLabel | undefined {
  const own = ROLLOUT_LABELS.find((one) => one === label) ?? null;
  const words = typeof note === 'string' ? cutAt(note, MOST_NOTE) : '';
  return own === null && words === '' ? undefined : { label: own, note: words };
}

export interface LogRollouts {
  /** Whether the steps are those of a training run; otherwise they number parts of the log, from 1. */
  hasSteps: boolean;
  /** In order of appearance. */
  scorers: string[];
  /** Rollouts by ascending step; each in order of prompt and member. */
  rollouts: Map<number, RolloutRecord[]>;
}

/** All samples by step. Each id is a prompt, in the order of the data set and then of the samples. */
export function logRollouts(samples: readonly ReadSample[], { eval: about }: LogHeader): LogRollouts {
  const ids = (about.dataset?.sample_ids ?? []).map(String);
  const present = new Set(samples.map(({ id }) => id));
  const order = new Map([...new Set([...ids.filter((id) => present.has(id)), ...present])].map((id, i) => [id, i]));
  const hasSteps = haveSteps(samples);
  const scorers = [...new Set(samples.flatMap((one) => one.scorers))].slice(0, MOST_SCORERS);
  const paid = rewardOf(scorers);
  const bySteps = new Map<number, RolloutRecord[]>();
  for (const { id, epoch, step, prompt, problem, kind, source, turns, advantage, verdict, label } of samples) {
    const at = order.get(id)!;
    const own = hasSteps ? step! : 1 + Math.floor(at / PROMPTS_PER_PART);
    const list = bySteps.get(own) ?? [];
    bySteps.set(own, list);
    list.push({
      step: own,
      promptIndex: hasSteps ? prompt! : at,
      sampleIndex: epoch - 1,
      taskId: problem ?? cutAt(id, MOST_NAME),
      kind: kind ?? cutAt(about.task, MOST_NAME),
      source,
      turns,
      advantage,
      reward: (paid === undefined ? null : scoreNumber(ownOf(verdict, paid))) ?? Number.NaN,
      verdict,
      label,
    });
  }
  for (const list of bySteps.values())
    list.sort((a, b) => a.promptIndex - b.promptIndex || a.sampleIndex - b.sampleIndex);
  return { hasSteps, scorers, rollouts: new Map([...bySteps].sort(([a], [b]) => a - b)) };
}

/** Whether every sample names its step and prompt, and each such pair has one id; other programs may use these names differently. */
function haveSteps(samples: readonly ReadSample[]): boolean {
  const ids = new Map<string, string>();
  return samples.every(({ id, step, prompt }) => {
    const place = `${step}:${prompt}`;
    if (!ids.has(place)) ids.set(place, id);
    return step !== null && prompt !== null && ids.get(place) === id;
  });
}

function turnsOf({ messages, output, attachments }: LogSample, left: LeftOut): Turn[] {
  const turns: Turn[] = [];
  let shown: LogMessage[] = [];
  const read = (message: LogMessage) => textOf(message, attachments ?? {}, left);
  const ended = (completion: string) => {
    const before = shown.map((message) => turnOf(message.role, read(message))).join('');
    turns.push({
      prompt: `${turns.length > 0 ? '\n' : ''}${before}${START_OF_TURN}assistant\n`,
      completion,
      logprobs: null,
    });
    shown = [];
  };
  for (const [i, message] of messages.entries()) {
    if (turns.length === MOST_TURNS) {
      left.add(messages.length - i, 'messages');
      break;
    }
    if (message.role === 'assistant') ended(read(message));
    else shown.push(message);
  }
  // A failed sample, or a conversation that ends with a tool's reply, has no final answer.
  if (turns.length === 0 || (shown.length > 0 && turns.length < MOST_TURNS)) ended('');
  const [choice] = output?.choices ?? [];
  const last = turns[turns.length - 1];
  if (choice?.stop_reason === 'max_tokens' || choice?.stop_reason === 'model_length') last.ended = false;
  const tokens = choice?.logprobs?.content;
  if (!tokens || tokens.length === 0) return turns;
  if (tokens.map(({ token }) => token).join('') === last.completion) {
    last.logprobs = tokens.map(({ logprob }) => logprob);
    last.tokens = tokens.map(({ token }) => token);
  } else left.add(tokens.length, 'log-probabilities, which are of another text');
  return turns;
}

/** A message as text: its parts, its tool calls, and a tool's name and error. */
function textOf(message: LogMessage, attachments: Readonly<Record<string, unknown>>, left: LeftOut): string {
  const { content, tool_calls: calls } = message;
  const parts = typeof content === 'string' ? [content] : content.map((part) => partText(part, left));
  const words = parts.map((part) => {
    const id = /^attachment:\/\/(\w{1,100})$/.exec(part)?.[1];
    const attached = id === undefined ? undefined : ownOf(attachments, id);
    return typeof attached === 'string' && !attached.startsWith('data:') ? attached : part;
  });
  for (const { function: called, arguments: given } of calls ?? [])
    words.push(`<tool_call>\n${JSON.stringify({ name: called, arguments: given ?? {} })}\n</tool_call>`);
  if (message.error?.message) words.push(`[error: ${message.error.message}]`);
  const text = `${message.role === 'tool' && message.function ? `[${message.function}]\n` : ''}${words.join('\n')}`;
  if (text.length > MOST_CHARACTERS) left.add(text.length - MOST_CHARACTERS, 'characters');
  return cutAt(text, MOST_CHARACTERS);
}

function partText(part: { type: string; [field: string]: unknown }, left: LeftOut): string {
  const { type, text, reasoning } = part;
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'reasoning' && typeof reasoning === 'string') return `<think>\n${reasoning}\n</think>`;
  left.add(1, `${type.slice(0, 40)} parts`);
  return `[${type.slice(0, 40)}, not shown]`;
}

/** A score's value, or for a map of values each of them by name. */
function partsOf(name: string, value: unknown): [string, Verdict[string]][] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.entries(value).map(([part, own]) => [`${name}.${part}`, plain(own)]);
  return [[name, plain(value)]];
}

function plain(value: unknown): Verdict[string] {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return cutAt(typeof value === 'string' ? value : JSON.stringify(value), MOST_NOTE);
}

const cutAt = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** Counts the parts of a sample that a rollout cannot hold. */
class LeftOut {
  readonly #counts = new Map<string, number>();

  add(count: number, what: string): void {
    if (count > 0) this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  text(): string {
    return [...this.#counts].map(([what, count]) => `${count} ${what}`).join(', ');
  }
}
