// Options shared by the commands that play and judge: the judge of texts, time windows, and which options a run depends on (`runIdentity`):
// all except those listed as without effect. So a run with another value of a new option never counts as the same.

import { integer, oneOf, text, toggle, type Values } from '@projected-grpo-lab/base/commands/args.ts';
import type { CommandContext } from '@projected-grpo-lab/base/commands/command.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { contentKey } from '@projected-grpo-lab/base/sha256.ts';
import { DEFAULT_RETRIES, DEFAULT_WITHIN } from '../agents/react/endpoint.ts';
import type { Trace } from '../scenario/schema.ts';
import { AnswerBook } from '../verifier/answer-book.ts';
import { DEFAULT_CONFIG, PAPER_CONFIG, type VerifierConfig } from '../verifier/compare-calls.ts';
import { ConstantEngine, wordsEngine } from '../verifier/engines.ts';
import type { SoftEngine } from '../verifier/soft.ts';
import { strictEngine } from '../verifier/strict/strict.ts';
import { type Host, type OwnFlags, orModel, withoutAgents } from './host.ts';
import { JudgeCache } from './judge-cache.ts';
import { leaveOutFlag, type ModelFlags } from './model-flags.ts';
import { openModel } from './open-model.ts';
import type { OpenedModel } from './opened.ts';

export const judgeFlags = ({ models }: Host) => ({
  soft: oneOf(
    ['strict', 'words', 'model', 'accept', 'reject', 'off', 'facts'],
    'What judges texts that are not the same: whether they have the oracle’s facts and nothing against them (strict), its numbers, names and half of its longer words (words; facts is its old name), a model, always or never, or nothing at all.',
    'strict',
  ),
  ...models.flags.judge,
  'judge-endpoint': text('URL', 'The judge’s server, an OpenAI-compatible one such as http://localhost:8000/v1.', null),
  'judge-name': text('NAME', 'The judge’s name on that server.', null),
  'judge-key-env': text('NAME', 'The environment variable that holds the server’s key.', null),
  'judge-leave-out': leaveOutFlag('the judge’s server'),
  'judge-votes': integer('With --soft model: answers to each question; the majority decides, a tie accepts.', 1, 1, 99),
  'judge-tokens': integer('With --soft model: tokens of an answer at most.', 1024, 1, 16_384),
  'judge-cache': text(
    'FILE',
    'With --soft model: keeps what the judge said, a row a question; the same judge under the same settings is not asked it again.',
    null,
  ),
  window: oneOf(['usual', 'paper'], 'Seconds that an event may come early and late: 10 and 25, or 5 and 25.', 'usual'),
  json: toggle('Print JSON.'),
});
type JudgeFlags = Omit<Values<ReturnType<typeof judgeFlags>>, 'json'> & OwnFlags;
type ServerFlags = Partial<Pick<ModelFlags, 'retries' | 'answer-within'>>;
type Context = Pick<CommandContext, 'root' | 'progress' | 'signal'>;

export interface OpenedJudge {
  readonly engine: SoftEngine;
  readonly config: VerifierConfig;
  free(): void;
}

export const configOf = ({ window, soft }: Pick<JudgeFlags, 'window' | 'soft'>): VerifierConfig => {
  const config = window === 'paper' ? PAPER_CONFIG : DEFAULT_CONFIG;
  return soft === 'off' ? { ...config, scripted: {} } : config;
};

/** Throws SpecError if a model is to judge and none is named, or if one is named that is not to judge. */
export async function openJudge(host: Host, flags: JudgeFlags & ServerFlags, context: Context): Promise<OpenedJudge> {
  const config = configOf(flags);
  if (flags.soft === 'model') {
    const { ChatSoftModel } = await import('../verifier/soft-model.ts');
    const opened = await openJudgeModel(host, flags, context);
    const model = new ChatSoftModel(opened.seeded(0), flags['judge-votes']);
    const { progress } = context;
    const path = flags['judge-cache'];
    const cache = path === null ? null : await JudgeCache.open(path, settingsOf(flags, opened), model, progress.note);
    const free = () => {
      opened.free();
      if (cache) progress.note(cache.summary);
    };
    return { engine: new AnswerBook(cache ?? model), config, free };
  }
  if (flags['judge-cache'] !== null)
    throw new SpecError('Only what a model says is kept.', 'Add --soft model, or leave --judge-cache out.');
  if ((flags['judge-model'] ?? flags['judge-endpoint'] ?? flags['judge-leave-out'] ?? null) !== null)
    throw new SpecError('A judge is named that is not asked.', 'Add --soft model, or leave its model out.');
  const { soft } = flags;
  const engine =
    soft === 'accept' || soft === 'reject'
      ? new ConstantEngine(soft === 'accept')
      : soft === 'strict'
        ? strictEngine
        : wordsEngine;
  return { engine, config, free: () => {} };
}

/** Everything besides the question that affects a judge's answer: the weights or the server's name for them, the device, and sampling. */
const settingsOf = (flags: JudgeFlags & ServerFlags, { id }: OpenedModel) => ({
  id,
  endpoint: flags['judge-endpoint'],
  device: flags['judge-endpoint'] === null ? String(flags.device) : null,
  votes: flags['judge-votes'],
  tokens: flags['judge-tokens'],
  ...(flags['judge-leave-out'] && { without: flags['judge-leave-out'].join(',') }),
});

/** The model that the judge's flags name. Several answers to a question are sampled, a single one is greedy. */
export function openJudgeModel(host: Host, flags: JudgeFlags & ServerFlags, context: Context): Promise<OpenedModel> {
  const { 'judge-model': model = null, 'judge-endpoint': endpoint, 'judge-name': name } = flags;
  if ((model === null) === (endpoint === null))
    throw new SpecError(
      'A judge with a model needs one.',
      `Give ${orModel(host, 'judge')}--judge-endpoint URL with --judge-name NAME.`,
    );
  if (endpoint !== null && name === null)
    throw new SpecError('The judge has no name on its server.', 'Add --judge-name NAME.');
  return openModel(
    host,
    {
      ...withoutAgents(host, flags),
      retries: flags.retries ?? DEFAULT_RETRIES,
      'answer-within': flags['answer-within'] ?? DEFAULT_WITHIN,
      model,
      endpoint,
      answers: null,
      'model-name': name,
      'key-env': flags['judge-key-env'],
      'leave-out': flags['judge-leave-out'],
      temperature: flags['judge-votes'] > 1 ? 0.7 : 0,
      'max-tokens': flags['judge-tokens'],
      'max-calls': 1,
      thinking: null,
    },
    context,
    '--judge-leave-out',
  );
}

/**
 * Options that do not affect a run: the server, time limits, the key, the number of threads and of parallel runs, whether a scenario's apps
 * were fetched (the scenario itself counts), whether a judge's answers were cached (the judge itself counts), and the file of recorded
 * answers (the model's id is their hash).
 */
export const FLAGS_WITHOUT_EFFECT: readonly string[] = [
  ...['json', 'retries', 'answer-within', 'key-env', 'judge-key-env', 'threads', 'concurrency'],
  ...['fetch-apps', 'judge-cache', 'answers'],
];

/** The parts of a model that a run depends on: its weights, and which part of its texts is used. */
type RunModel = Pick<OpenedModel, 'id' | 'thinking'>;

/** Options that did not exist when the first stored runs were made. */
const NEWER_OPTIONS: ReadonlySet<string> = new Set([
  ...['leave-out', 'user-leave-out', 'judge-leave-out'],
  ...['chat-template', 'chat-arg', 'thinking'],
]);

/** Without such an option, a run has the same hash as before the option existed. */
const isAbsent = (name: string, value: unknown): boolean =>
  NEWER_OPTIONS.has(name) && (value === null || (typeof value === 'object' && Object.keys(value).length === 0));

/** Hash that is equal for equal options, model and scenario. */
export function runIdentity<F extends object>(
  flags: F,
  ignored: readonly string[],
  { agent, model, trace }: { readonly agent: string; readonly model: RunModel | null; readonly trace: Trace },
): Promise<string> {
  const options = Object.entries(flags)
    .filter(([name, value]) => !ignored.includes(name) && !isAbsent(name, value))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const thinking = model?.thinking === 'strip' ? { thinking: 'strip' } : {};
  return contentKey([options, { agent, model: model?.id ?? null, trace, ...thinking }]);
}
