// A training run as an evaluation log of Inspect (UKGovernmentBEIS/inspect_ai, LOG_SCHEMA_VERSION 2): one sample per rollout. Its id is the prompt
// of a step, so that a group shares an id, and its epoch is the member of the group. Times of rollouts are not stored, and none are invented.
import { contentKey } from '@projected-grpo-lab/base/sha256.ts';
import { conversationIn, followUpIn } from '../../text/chatml.ts';
import type { PromptCodec } from '../../text/codec.ts';
import { tokenPieces } from '../../text/pieces.ts';
import { asRecorded, withDefaults } from '../config/spec.ts';
import type { RolloutRecord, RunRecord } from '../records/events.ts';

export const LOG_SCHEMA_VERSION = 2;

export interface InspectOptions {
  /** The model's tokenizer, for token counts and `logprobs`; null if it is not available. */
  codec: PromptCodec | null;
  /** Whether each token's log-probability is written, which makes up most of the file. */
  logprobs: boolean;
  /** Distinguishes a log of some of the run's steps from that of all; empty for all. */
  part: string;
}

type Json = Readonly<Record<string, unknown>>;
interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
}
interface Score {
  readonly value: number;
  readonly explanation: string | null;
  readonly metadata: Json | null;
  readonly history: readonly [];
}
export interface Sample extends Json {
  readonly id: string;
  readonly epoch: number;
  readonly scores: Readonly<Record<string, Score>>;
}

/** ISO time of seconds with its zone. @param at milliseconds since 1970 */
const timeOf = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, '+00:00');
const nameOf = ({ spec }: RunRecord): string => `${spec.arm}-${spec.seed}`;
const padded = (n: number, width: number): string => String(n).padStart(width, '0');
const finite = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Name of the log's file in Inspect's form: created, task and task id, whose parts contain none of `_ / : +`. */
export const fileNameOf = (run: RunRecord, part: string, ending: 'eval' | 'json'): string =>
  [timeOf(run.createdAt), taskOf(run), nameOf(run) + part].map((text) => text.replace(/[_/:+]/g, '-')).join('_') +
  `.${ending}`;

const taskOf = ({ spec }: RunRecord): string => withDefaults(spec).environment;

/** Samples of one step, group by group; within each the students before the teachers. */
export function samplesOf(run: RunRecord, rollouts: readonly RolloutRecord[], options: InspectOptions): Sample[] {
  const groups = new Map<string, RolloutRecord[]>();
  for (const rollout of rollouts) {
    const id = `step-${padded(rollout.step, 5)}.prompt-${padded(rollout.promptIndex, 2)}`;
    const group = groups.get(id);
    if (group) group.push(rollout);
    else groups.set(id, [rollout]);
  }
  const place = ({ source, sampleIndex }: RolloutRecord) => (source === 'teacher' ? 1e6 : 0) + sampleIndex;
  return [...groups].flatMap(([id, group]) =>
    group.sort((a, b) => place(a) - place(b)).map((rollout, member) => sampleOf(run, rollout, id, member + 1, options)),
  );
}

function sampleOf(run: RunRecord, rollout: RolloutRecord, id: string, epoch: number, options: InspectOptions): Sample {
  const { step, promptIndex, sampleIndex, taskId, kind, source, turns, end, advantage, label } = rollout;
  const uuid = `${nameOf(run)}-s${step}p${promptIndex}e${epoch}`;
  const model = source === 'teacher' ? 'lab/teacher' : modelOf(run);
  const messages = turns.flatMap((turn, i) => messagesOf(turn, `${uuid}t${i}`, model, i === 0));
  const input = messages.slice(
    0,
    messages.findIndex(({ role }) => role === 'assistant'),
  );
  const last = turns[turns.length - 1];
  const isCut = last.ended === false;
  const usage = usageOf(rollout, options.codec);
  const logprobs = options.logprobs && options.codec ? logprobsOf(last, options.codec) : null;
  const sum = turns.flatMap((turn) => turn.logprobs ?? []).reduce((total, x) => total + x, 0);
  return {
    id,
    epoch,
    input,
    target: '',
    messages,
    output: {
      model,
      choices: [
        {
          message: messages[messages.length - 1],
          stop_reason: last.ended === undefined ? 'unknown' : isCut ? 'max_tokens' : 'stop',
          ...(logprobs && { logprobs }),
        },
      ],
      completion: last.completion,
      ...(usage && { usage }),
    },
    scores: scoresOf(rollout),
    metadata: {
      problem: taskId,
      step,
      prompt_index: promptIndex,
      sample_index: sampleIndex,
      source,
      loophole: kind,
      ...(finite(advantage) && { advantage }),
      ...(finite(sum) && turns.some((turn) => turn.logprobs) && { logprob_sum: sum }),
      truncated: isCut,
      ...(end && { end }),
      ...(label?.label && { label: label.label }),
      ...(label?.note && { label_note: label.note }),
    },
    store: {},
    events: [],
    model_usage: usage ? { [model]: usage } : {},
    role_usage: {},
    uuid,
    attachments: {},
  };
}

const modelOf = ({ spec }: RunRecord): string => `lab/${withDefaults(spec).model}`;

/** Messages of a turn: the model's input without chat markup, and its output. */
function messagesOf(turn: RolloutRecord['turns'][number], id: string, model: string, isFirst: boolean) {
  const { prompt, completion } = turn;
  const shown = (isFirst ? conversationIn(prompt) : followUpIn(prompt)?.messages) ?? [
    { role: 'user' as const, content: prompt },
  ];
  return [
    ...shown.map(({ role, content }, i) => ({ id: `${id}m${i}`, role, content, source: 'input' })),
    { id: `${id}a`, role: 'assistant' as const, content: completion, source: 'generate', model },
  ];
}

/** Null where a number of tokens is unknown. */
function usageOf({ turns }: RolloutRecord, codec: PromptCodec | null): Usage | null {
  if (codec === null) return null;
  const written = turns.map(({ logprobs, completion }) => logprobs?.length ?? codec.encode(completion).length);
  const shown = turns.map(({ prompt }) => codec.encode(prompt).length);
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  return usageWith(sum(shown), sum(written));
}
const usageWith = (input: number, output: number): Usage => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
});

/** Returns the turn's log-probabilities; null if the tokens of its text are not those that were sampled. */
function logprobsOf({ completion, logprobs }: RolloutRecord['turns'][number], codec: PromptCodec): Json | null {
  const pieces = logprobs && tokenPieces(codec, completion);
  if (!pieces) return null;
  const tokens = pieces.reduce((total, piece) => total + piece.tokens, 0);
  // The end token has a log-probability, but it is not part of the text.
  if (logprobs.length !== tokens && logprobs.length !== tokens + 1) return null;
  let at = 0;
  const content = pieces.flatMap(({ text, tokens: count }) =>
    Array.from({ length: count }, (_, part) => ({ token: part === 0 ? text : '', logprob: logprobs[at++] })),
  );
  return { content };
}

/** Names of programs' verdicts in the log; where the oracle ran out neither is known. */
const PROGRAM = { gt_correct: 'solved', exploited: 'hack' } as const;

function scoresOf({ reward, verdict }: RolloutRecord): Record<string, Score> {
  const note = typeof verdict.note === 'string' && verdict.note !== '' ? verdict.note : null;
  const isProgram = Object.hasOwn(verdict, 'gt_correct');
  const scores: [string, Score][] = [];
  const rest: [string, unknown][] = [];
  for (const [name, value] of Object.entries(verdict)) {
    const number = typeof value === 'boolean' ? Number(value) : value;
    const isKnown = finite(number) && !(isProgram && verdict.gt_correct === null);
    if (isProgram && !Object.hasOwn(PROGRAM, name)) rest.push([name, value]);
    else if (isKnown && name !== 'reward')
      scores.push([isProgram ? PROGRAM[name as keyof typeof PROGRAM] : name, scoreOf(number)]);
    else if (typeof value === 'string') rest.push([name, value]);
  }
  const metadata = Object.fromEntries(rest.filter(([name]) => name !== 'note' && name !== 'reward'));
  const own: [string, Score][] = finite(reward) ? [['reward', scoreOf(reward, note, metadata)]] : [];
  return Object.fromEntries([...own, ...scores]);
}

const scoreOf = (value: number, explanation: string | null = null, metadata: Json | null = null): Score => ({
  value,
  explanation,
  metadata,
  history: [],
});

/** Totals over a log's samples, added one sample at a time. */
export class LogTotals {
  /** One value per member of a group, by scorer and id. */
  readonly #values = new Map<string, Map<string, number[]>>();
  readonly #ids = new Map<string, number>();
  readonly #steps = new Set<number>();
  readonly #usage = new Map<string, Usage>();
  samples = 0;

  add(sample: Sample): void {
    this.samples++;
    this.#ids.set(sample.id, (this.#ids.get(sample.id) ?? 0) + 1);
    this.#steps.add((sample.metadata as { step: number }).step);
    for (const [name, { value }] of Object.entries(sample.scores)) {
      const byId = this.#values.get(name) ?? new Map<string, number[]>();
      this.#values.set(name, byId);
      const members = byId.get(sample.id);
      if (members) members.push(value);
      else byId.set(sample.id, [value]);
    }
    for (const [model, more] of Object.entries(sample.model_usage as Record<string, Usage>)) {
      const { input_tokens: input = 0, output_tokens: output = 0 } = this.#usage.get(model) ?? {};
      this.#usage.set(model, usageWith(input + more.input_tokens, output + more.output_tokens));
    }
  }

  /** The log without samples and reductions, its fields in Inspect's order. */
  async header(run: RunRecord, { part }: InspectOptions): Promise<Json> {
    const { spec } = run;
    const { temperature, maxNew } = withDefaults(spec);
    const { arm, seed } = spec;
    const key = await contentKey(['inspect', run.id, run.createdAt, run.modelSha256, part]);
    const epochs = Math.max(1, ...this.#ids.values());
    const tags = ['grpo', arm].sort();
    const metadata = {
      arm,
      seed,
      steps: [...this.#steps].sort((a, b) => a - b),
      adapter: withDefaults(spec).adapter,
      model_sha256: run.modelSha256,
      grader_version: run.graderVersion,
      device: run.device,
      lab_version: run.appVersion,
      // Defaults come first, so that a stored run and a folder's give the same order of options.
      spec: asRecorded(withDefaults(spec)),
    };
    const seconds = run.timings.reduce((total, { total: own }) => total + (finite(own) ? own : 0), 0);
    const metrics = [{ name: 'mean' }, { name: 'stderr' }];
    const args = { arm, seed };
    return {
      version: LOG_SCHEMA_VERSION,
      status: STATUS[run.status],
      eval: {
        eval_id: key.slice(0, 22),
        run_id: key.slice(22, 44),
        created: timeOf(run.createdAt),
        task: taskOf(run),
        task_id: nameOf(run) + part,
        task_version: '1',
        task_attribs: {},
        task_args: args,
        task_args_passed: args,
        solver: 'generate',
        solver_args: {},
        solver_args_passed: {},
        tags,
        dataset: { name: taskOf(run), samples: this.#ids.size, sample_ids: [...this.#ids.keys()], shuffled: false },
        model: modelOf(run),
        model_generate_config: { temperature, max_tokens: maxNew, seed },
        model_args: {},
        config: { epochs, epochs_reducer: ['mean'] },
        packages: { 'projected-grpo-lab': run.appVersion },
        metadata,
        scorers: [...this.#values.keys()].map((name) => ({ name, metrics })),
      },
      plan: { name: 'plan', steps: [{ solver: 'generate', params: {}, params_passed: {} }], config: {} },
      results: {
        total_samples: this.#ids.size * epochs,
        completed_samples: this.samples,
        scores: [...this.#values].map(([name, byId]) => this.#result(name, byId)),
      },
      stats: {
        started_at: timeOf(run.createdAt),
        completed_at: timeOf(run.createdAt + 1000 * seconds),
        model_usage: Object.fromEntries(this.#usage),
        role_usage: {},
        connection_limit_history: [],
      },
      ...(run.error && { error: { message: run.error.message, traceback: '', traceback_ansi: '' } }),
      invalidated: false,
      tags,
      metadata,
    };
  }

  /** Each scorer's mean over the epochs of an id. */
  reductions(): Json[] {
    return [...this.#values].map(([scorer, byId]) => ({
      scorer,
      reducer: 'mean',
      samples: [...byId].map(([id, values]) => ({ sample_id: id, value: meanOf(values), history: [] })),
    }));
  }

  #result(name: string, byId: ReadonlyMap<string, readonly number[]>): Json {
    const means = [...byId.values()].map(meanOf);
    const mean = meanOf(means);
    const squares = means.reduce((total, x) => total + (x - mean) ** 2, 0);
    const stderr = means.length > 1 ? Math.sqrt(squares / (means.length - 1) / means.length) : 0;
    const metric = (of: string, value: number) => ({ name: of, value, params: {} });
    return {
      name,
      scorer: name,
      reducer: 'mean',
      scored_samples: byId.size,
      unscored_samples: this.#ids.size - byId.size,
      params: {},
      metrics: { mean: metric('mean', mean), stderr: metric('stderr', stderr) },
    };
  }
}

const STATUS: Readonly<Record<RunRecord['status'], string>> = {
  waiting: 'started',
  running: 'started',
  done: 'success',
  stopped: 'cancelled',
  failed: 'error',
};

const meanOf = (values: readonly number[]): number => values.reduce((total, x) => total + x, 0) / values.length;

/** Longest texts of a summary, as in Inspect. */
const LONGEST = { input: 5120, other: 1024 };

/** A sample's line in the viewer's list. */
export function summaryOf(sample: Sample): Json {
  const { id, epoch, input, target, metadata, scores, model_usage, role_usage, messages, uuid } = sample;
  const cut = (text: unknown, most: number) =>
    typeof text === 'string' && text.length > most ? `${text.slice(0, most)}…` : text;
  const texts = input as readonly { role: string; content: string; id: string; source: string }[];
  return {
    id,
    epoch,
    input: texts.map(({ role, content, ...rest }) => ({ ...rest, role, content: cut(content, LONGEST.input) })),
    target,
    metadata,
    scores: Object.fromEntries(
      Object.entries(scores).map(([name, score]) => [
        name,
        { ...score, explanation: cut(score.explanation, LONGEST.other) },
      ]),
    ),
    model_usage,
    role_usage,
    completed: true,
    message_count: (messages as readonly unknown[]).length,
    uuid,
  };
}
