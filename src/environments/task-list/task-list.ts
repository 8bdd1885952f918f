// An environment from a list of tasks: checks the list and completes it to an entry of the registry, so that it is trained, drawn and
// documented like the others. Its tasks are prepared when a run begins (drawn.ts).
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { axisAround } from '../../lib/axis.ts';
import { checkOneTurn, checkPromptLength } from '../../text/prompt-length.ts';
import type { EnvironmentEntry } from '../entry.ts';
import { type MetricInfo, metricsWith } from '../metric-info.ts';
import { ofKind } from '../metrics.ts';
import { type Fact, presents } from '../rollout-presentation.ts';
import { HELD_OUT, idOf, kindsOf, type ListedTask, type ListedVerdict, type TaskList } from './types.ts';

const sentence = z.string().check(z.minLength(1), z.maxLength(400));
const name = z.string().check(z.minLength(1), z.maxLength(200));
const listSchema = z.strictObject({
  id: z.string().check(z.regex(/^[a-z][a-z0-9-]{1,29}$/, 'small letters, digits and -, a letter first')),
  label: sentence,
  question: sentence.check(z.regex(/\?$/, 'it ends with a question mark')),
  about: sentence,
  model: name,
  maxNew: z.int().check(z.minimum(1), z.maximum(4096)),
  tasks: z
    .array(z.looseObject({ prompt: z.string().check(z.minLength(1)), id: z.optional(name), kind: z.optional(name) }))
    .check(z.minLength(4), z.maxLength(20_000)),
  rewards: z
    .array(
      z.strictObject({
        // `paid` is reserved for the weighted sum of the rewards.
        id: z
          .string()
          .check(z.regex(/^(?!paid$)[a-z][a-z0-9_]{0,19}$/, 'small letters, digits and _, a letter first; not paid')),
        about: sentence,
        weight: z.number().check(z.minimum(0), z.maximum(100)),
        better: z.optional(z.enum(['lower', 'higher', 'neither'])),
        score: z.custom((value) => typeof value === 'function', 'a function'),
      }),
    )
    .check(z.minLength(1), z.maxLength(20)),
});

/** Throws FormatError, with the list's id and the field. */
function check(list: TaskList): void {
  const parsed = listSchema.safeParse(list);
  const where = `The environment ${JSON.stringify(list.id)}`;
  const remedy = 'Compare it with examples/week.ts; src/environments/task-list/types.ts says what each field is.';
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const strange = issue.code === 'unrecognized_keys' ? ` (${issue.keys.join(', ')})` : '';
    throw new FormatError(`${where}: ${issue.path.join('.') || 'the list'}: ${issue.message}${strange}.`, remedy);
  }
  for (const [what, ids] of [
    ['tasks', list.tasks.map(idOf)],
    ['rewards', list.rewards.map(({ id }) => id)],
  ] as const) {
    const seen = new Set<string>();
    const twice = ids.find((id) => seen.size === seen.add(id).size);
    if (twice !== undefined)
      throw new FormatError(
        `${where} has two ${what} with the id ${JSON.stringify(twice)}.`,
        'Give each an id of its own.',
      );
  }
  for (const task of list.tasks) {
    const of = `${where}, the task ${JSON.stringify(idOf(task).slice(0, 60))}`;
    checkPromptLength(task.prompt, of);
    checkOneTurn(task.prompt, of);
  }
}

const capital = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase());
const shown = (score: number): string => String(Number(score.toFixed(2)));

function metricsOf({ rewards, tasks }: TaskList): MetricInfo[] {
  const metric = metricsWith({
    formula: 'mean of the score over all answers',
    nullValue: 'The untrained base’s.',
    notShown: 'What the score does not look at.',
  });
  const [solved] = rewards;
  const kinds = kindsOf({ tasks });
  return [
    ...rewards.map(({ id, about, better = 'higher' }, i) =>
      metric(id, capital(id), about, {
        better,
        headline: true,
        brief: `mean score in ${id}`,
        of: 'all tasks',
        ...(i === 0 && { words: { verb: 'scores', none: 'no tasks: no delta' } }),
      }),
    ),
    ...(kinds.length > 1 ? kinds : []).map((kind) =>
      metric(
        ofKind(solved.id, kind),
        `${capital(solved.id)}: ${kind}`,
        `${capital(solved.id)} on tasks of kind ${kind}.`,
        { kind, formula: `mean of the score over answers to tasks of kind ${kind}`, notShown: 'Other kinds.' },
      ),
    ),
  ];
}

function presentationOf({ rewards }: TaskList) {
  const [solved] = rewards;
  const scores = (verdict: ListedVerdict): Fact[] => rewards.map(({ id }) => [id, shown(verdict[id])]);
  return presents<ListedVerdict>({
    outcomes: [
      { id: 'solved', mark: '✓', tone: 'good' },
      { id: 'paid in part', mark: '▲', tone: 'warn' },
      { id: 'unpaid', mark: '✕', tone: '' },
    ],
    outcomeOf: (verdict) => (verdict[solved.id] === 1 ? 'solved' : verdict.paid > 0 ? 'paid in part' : 'unpaid'),
    filters: rewards.map(({ id }) => ({ name: `Scores in ${id}`, keeps: (verdict) => verdict[id] > 0 })),
    worthReading: [{ words: 'Read what was paid in part', verdict: 'paid in part' }],
    facts: scores,
    plainly: (verdict) => ({
      paid: `Paid ${shown(verdict.paid)}: ${scores(verdict)
        .map((fact) => fact.join(' '))
        .join(', ')}.`,
      truth: verdict[solved.id] === 1 ? 'It is solved.' : 'It is not solved.',
    }),
    kindName: 'Kind',
    lead: 'Each step samples a group of answers per task, pays each by the rewards, and compares them within the group only.',
  });
}

/** Throws FormatError for an invalid list. */
export function taskList<Task extends ListedTask>(list: TaskList<Task>): EnvironmentEntry {
  // The list itself does not depend on the task's specific type.
  const plain = list as unknown as TaskList;
  check(plain);
  const { id, label, question, about, model, maxNew, rewards } = plain;
  const most = rewards.reduce((sum, { weight }) => sum + weight, 0);
  const pays = rewards.filter(({ weight }) => weight > 0).map(({ id, weight }) => `${weight} · ${id}`);
  return {
    id,
    label,
    words: { model: `${model} for ${id}`, reward: pays.join(' + ') || 'none', problems: label.toLowerCase() },
    defaults(preset) {
      const common = { model, mix: 0 };
      const arms = ['none'];
      // Presets for imported models keep their own sizes.
      if (preset === 'fast' || preset === 'full') return { arms, settings: common };
      return { arms, settings: { ...common, maxNew, ...(preset === 'smoke' ? { problems: 32 } : { steps: 40 }) } };
    },
    card: { question, about },
    python: 'micropython',
    ...(kindsOf(plain).length > 1 && { kinds: `${capital(rewards[0].id)} by kind of task` }),
    reward: {
      about: `Mean over the step: ${pays.join(' + ') || 'nothing is paid'}.`,
      ticks: axisAround([0, most]).ticks,
    },
    rolloutPresentation: presentationOf(plain),
    metrics: metricsOf(plain),
    splits: [{ id: HELD_OUT, label: 'held-out tasks', unseen: 'A fifth of the list, which no training sees.' }],
    load: async () => (await import('./drawn.ts')).drawnOf(plain),
  };
}
