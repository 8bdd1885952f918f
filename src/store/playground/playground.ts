// The playground's state: the question, its run, and the text that each model has written so far. It is a separate store, because tokens
// arrive faster than the rest of the page should update.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { CodeProblem, Grade, ProblemMode } from '../../environments/code/types.ts';
import {
  FIRST_QUESTION,
  type PlayModel,
  type PlayToken,
  type PlayTurn,
  type SteerAlong,
} from '../../lab/protocol/playground.ts';
import type { ModelReport } from '../../lab/protocol/reports.ts';
import type { StoreContext } from '../context.ts';
import { MAX_SEED, type NumberField } from '../form/number-fields.ts';
import { type Problem, problemOf } from '../lab-state.ts';
import { keptRun, type PlayableRun, playModelName } from './asked-run.ts';

export const PLAY_KINDS = ['problem', 'chat', 'text'] as const;
export type PlayKind = (typeof PLAY_KINDS)[number];

export interface PlayForm {
  kind: PlayKind;
  mode: ProblemMode;
  problemId: string;
  text: string;
  /** Variables of the chat template, as a JSON object; empty for none. */
  chatArgs: string;
  /** Null for the base model only. */
  runId: string | null;
  /** Direction along which the model is steered: none, a part of the run, or hack-ward by the stored basis with this id. */
  steer: '' | 'change' | 'quarantine' | string;
  alpha: number;
  seed: number;
  temperature: number;
  maxNew: number;
}

export interface PlayColumn {
  model: PlayModel;
  name: string;
  /** The conversation before this answer (chat). */
  turns: PlayTurn[];
  /** The text that it continues (text). */
  from: string | null;
  tokens: PlayToken[];
  status: 'waiting' | 'writing' | 'done' | 'stopped';
  /** Whether it ended by itself rather than by its token limit. */
  ended: boolean;
  completion: string | null;
  grade: Grade | null;
  /** Mode of the problem that it answers; null if it does not answer a problem. */
  mode: ProblemMode | null;
}

export interface PlaygroundState {
  form: PlayForm;
  /** Null until they have been read. */
  runs: PlayableRun[] | null;
  problems: CodeProblem[];
  columns: PlayColumn[];
  writing: string | null;
  problem: Problem | null;
  ownGrade: { problemId: string; mode: ProblemMode; grade: Grade } | null;
}

/** The models that can answer. Without a quarantine the trained model is also the deployed one. When steering, α = 0 is shown beside α. */
export function modelsOf(run: PlayableRun | null, steer: PlayForm['steer'] = ''): PlayModel[] {
  if (steer !== '') return ['base', 'steered'];
  if (!run) return ['base'];
  return run.hasQuarantine ? ['base', 'trained', 'deployed'] : ['base', 'trained'];
}

/** Maximum number of tokens of the embedded model's answer. After a problem its context has no room for more. */
const OWN_MOST_NEW = 192;
/** Maximum number of tokens of any answer, since generation in the page is slow. */
export const MOST_NEW = 4096;

/** Maximum number of tokens that can be requested. */
function mostNew(model: ModelReport | null): number {
  return !model || model.isOwn ? OWN_MOST_NEW : Math.min(MOST_NEW, model.config.maxPositions - 1);
}

/** Number fields of a question to the model. The model limits the length of the answer. */
export const askFields = (model: ModelReport | null): readonly NumberField<'seed' | 'temperature' | 'maxNew'>[] => [
  { name: 'seed', label: 'Seed', min: 0, max: MAX_SEED, step: 1 },
  { name: 'temperature', label: 'Temperature', help: '0 = greedy', min: 0, max: 2, step: 0.1 },
  { name: 'maxNew', label: 'At most', unit: 'tokens', min: 1, max: mostNew(model), step: 1 },
];

/** Initial settings for a model. They depend on the model, since a third-party model was not made for the lab's problems. */
function settingsFor({ isOwn, hasChatTemplate, defaults, config }: ModelReport): Partial<PlayForm> {
  if (isOwn) return { kind: 'problem', ...FIRST_QUESTION };
  const maxNew = Math.min(defaults.maxNew ?? 256, 512, config.maxPositions - 1);
  return { kind: hasChatTemplate ? 'chat' : 'text', temperature: defaults.temperature, maxNew };
}

export function createPlayground({ client }: Pick<StoreContext, 'client'>) {
  const store: StoreApi<PlaygroundState> = createStore<PlaygroundState>(() => ({
    form: {
      kind: 'problem',
      ...FIRST_QUESTION,
      problemId: '',
      text: '',
      chatArgs: '',
      runId: null,
      steer: '',
      alpha: 1,
    },
    runs: null,
    problems: [],
    columns: [],
    writing: null,
    problem: null,
    ownGrade: null,
  }));
  let count = 0;

  client.subscribe((event) => {
    if (event.type !== 'play' || store.getState().writing !== event.id) return;
    putColumn(event.model, (column) => ({ ...column, status: 'writing', tokens: [...column.tokens, ...event.tokens] }));
  });

  function putColumn(model: PlayModel, change: (column: PlayColumn) => PlayColumn): void {
    store.setState(({ columns }) => ({
      columns: columns.map((column) => (column.model === model ? change(column) : column)),
    }));
  }

  async function guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      store.setState({ problem: problemOf(error) });
    }
  }

  function setForm(patch: Partial<PlayForm>): void {
    store.setState(({ form }) => ({ form: { ...form, ...patch } }));
  }

  let lastEnvironment: string | null = null;
  /** Whether a link filled the form before the first model was loaded, so that the model's own settings are not applied. */
  let isFilled = false;

  /** Reads runs and problems whenever the view opens, because runs may be added or deleted. Another model starts with its own settings. */
  async function open(model: ModelReport | null = null, published: PlayableRun | null = null): Promise<void> {
    if (model && lastEnvironment !== model.sha256) {
      if (lastEnvironment !== null || (!model.isOwn && !isFilled)) {
        clear();
        setForm(settingsFor(model));
        // Another model has other problems.
        store.setState({ problems: [] });
      }
      lastEnvironment = model.sha256;
    }
    await guard(async () => {
      const kept = await client.request('playRuns');
      const runs = [...kept.map(keptRun), ...(published ? [published] : [])];
      const { form: before } = store.getState();
      const isKept = runs.some(({ runId }) => runId === before.runId);
      store.setState({ runs });
      if (!isKept && isFilled && before.runId !== null) {
        setForm({ runId: null, steer: '' });
        store.setState({ problem: NOT_KEPT });
      } else if (!isKept && !isFilled) setForm({ runId: runs[0]?.runId ?? null });
      if (store.getState().problems.length === 0) await chooseMode(store.getState().form.mode);
    });
  }

  async function chooseMode(mode: ProblemMode): Promise<void> {
    setForm({ mode });
    // Until its problems are here none is chosen, since a problem of the mode before would be refused.
    store.setState({ problems: [] });
    await guard(async () => {
      const problems = await client.request('playProblems', { mode });
      // Another mode may have been chosen in the meantime.
      if (store.getState().form.mode !== mode) return;
      // A link's problem is preserved if this mode has it.
      store.setState(({ form }) => ({
        problems,
        form: problems.some(({ id }) => id === form.problemId) ? form : { ...form, problemId: problems[0]?.id ?? '' },
      }));
    });
  }

  /** Fills the form from a link. */
  async function fill(form: PlayForm): Promise<void> {
    isFilled = true;
    clear();
    store.setState({ form, problems: [] });
    const { runs } = store.getState();
    // If the runs have not been read yet, `open` will read both runs and problems.
    if (runs) await open(null, runs.find(({ source }) => source) ?? null);
  }

  async function generate(): Promise<void> {
    const { form, runs, columns: before } = store.getState();
    const { kind, mode, problemId, text, chatArgs, runId, steer, alpha, seed, temperature, maxNew } = form;
    const run = runs?.find((one) => one.runId === runId) ?? null;
    const models = modelsOf(run, steer);
    const id = `play-${++count}`;
    const graded = kind === 'problem' ? mode : null;
    const columns = models.map((model): PlayColumn => {
      const turns = kind === 'chat' ? nextTurns(before.find((column) => column.model === model) ?? null, text) : [];
      const from = kind === 'text' ? text : null;
      return {
        model,
        name: playModelName(model, run),
        turns,
        from,
        tokens: [],
        status: 'waiting',
        ended: false,
        completion: null,
        grade: null,
        mode: graded,
      };
    });
    store.setState({ columns, writing: id, problem: null });
    const conversations = Object.fromEntries(columns.map(({ model, turns }) => [model, turns]));
    const ask =
      kind === 'chat'
        ? { kind, conversations, chatArgs }
        : kind === 'text'
          ? { kind, text }
          : { kind, mode, problemId };
    try {
      const whose = run?.source ? { runId: null, published: await run.source() } : { runId };
      const settings = { id, ask, ...whose, models, seed, temperature, maxNew };
      const answers = await client.request(
        'play',
        steer === '' ? settings : { ...settings, steer: { along: alongOf(steer), alpha } },
      );
      if (store.getState().writing !== id) return;
      for (const { model, completion, ended, grade } of answers)
        putColumn(model, (column) => ({ ...column, status: 'done', completion, ended, grade }));
      if (kind === 'chat') setForm({ text: '' });
    } catch (error) {
      if (store.getState().writing !== id) return;
      store.setState(({ columns }) => ({
        problem: error instanceof StoppedError ? null : problemOf(error),
        columns: columns.map((column) => ({ ...column, status: 'stopped' })),
      }));
    } finally {
      if (store.getState().writing === id) store.setState({ writing: null });
    }
  }

  async function stop(): Promise<void> {
    const { writing } = store.getState();
    if (writing) await guard(async () => void (await client.request('stopTask', { task: writing })));
  }

  async function gradeOwn(completion: string): Promise<void> {
    const { mode, problemId } = store.getState().form;
    await guard(async () => {
      const grade = await client.request('gradeAnswer', { mode, problemId, completion });
      store.setState({ ownGrade: { problemId, mode, grade }, problem: null });
    });
  }

  const clear = () => store.setState({ columns: [], problem: null, ownGrade: null });

  return { store, open, fill, setForm, chooseMode, generate, stop, gradeOwn, clear };
}

const alongOf = (steer: string): SteerAlong =>
  steer === 'change' || steer === 'quarantine' ? steer : { basis: steer };

/** Directions along which a model can be steered here, as [value, words]. The parts of a run require that run. */
export const steerings = (
  run: PlayableRun | null,
  bases: readonly { id: string; name: string }[],
): (readonly [string, string])[] => [
  ['', 'nothing'],
  ...(run ? ([['change', 'all that the run learned']] as const) : []),
  ...(run?.hasQuarantine ? ([['quarantine', 'the run’s quarantine']] as const) : []),
  ...bases.map(({ id, name }) => [id, `hack-ward: ${name}`] as const),
];

/** Whether the form asks a published run the question that its models are known to answer differently (FIRST_QUESTION). */
export function isFirstQuestion({ form, runs, problems }: PlaygroundState): boolean {
  const { kind, steer, problemId } = form;
  const isPublished = runs?.some(({ runId, source }) => source && runId === form.runId) ?? false;
  const isUnchanged = (Object.keys(FIRST_QUESTION) as (keyof typeof FIRST_QUESTION)[]).every(
    (name) => form[name] === FIRST_QUESTION[name],
  );
  return isPublished && isUnchanged && kind === 'problem' && steer === '' && problemId === problems[0]?.id;
}

const NOT_KEPT: Problem = {
  message: 'The run whose models the link asks is not kept in this browser.',
  remedy: 'Import its exported file under Library, Runs, and open the link again; until then the base alone answers.',
};

/** Adds to the conversation, without a stopped answer and its question. */
function nextTurns(before: PlayColumn | null, text: string): PlayTurn[] {
  const earlier: PlayTurn[] =
    before && before.turns.length > 0 && before.completion !== null
      ? [...before.turns, { role: 'assistant', text: before.completion }]
      : [];
  return [...earlier, { role: 'user', text }];
}
