// Self-improvement step by step: the loaded model answers a chain puzzle, is shown its answer with the check's marks, and answers again. In
// each step the playground's model continues a text, so that the base model and stored runs are iterated in the same way.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { problemsOf } from '../../environments/chain/data.ts';
import { gradeChain } from '../../environments/chain/reward.ts';
import {
  type ChainPuzzle,
  type ChainTask,
  type ChainVerdict,
  puzzleOf,
  revisionOf,
  taskOf,
} from '../../environments/chain/task.ts';
import type { PlayModel } from '../../lab/protocol/playground.ts';
import type { StoreContext } from '../context.ts';
import { type Problem, problemOf } from '../lab-state.ts';

/** Number of unseen puzzles to draw from. */
const PUZZLES = 200;
/** Maximum number of tokens of an answer: a row of digits and the end token. */
const ROW = 8;
/** Maximum number of answers in one chain; a user would not read more. */
export const MOST_ANSWERS = 33;

export interface ExitStep {
  /** The request: the puzzle, or the last answer with its marks. */
  task: ChainTask;
  completion: string;
  verdict: ChainVerdict;
}

export interface ExitStepsState {
  text: string;
  /** Puzzle of the steps; null before the first puzzle is chosen. */
  puzzle: ChainPuzzle | null;
  steps: readonly ExitStep[];
  model: PlayModel;
  runId: string | null;
  seed: number;
  /** 0 is greedy. */
  temperature: number;
  /** Id of the answer that is being written. */
  writing: string | null;
  problem: Problem | null;
}

/** The next request: to revise the last readable answer, or the puzzle if there is none. */
function nextTask(puzzle: ChainPuzzle, steps: readonly ExitStep[]): ChainTask {
  const last = steps.findLast(({ verdict }) => verdict.answer !== null)?.verdict;
  return last?.answer ? revisionOf(puzzle, last.answer, steps.length, 'improve') : taskOf(puzzle);
}

export function createExitSteps({ client }: Pick<StoreContext, 'client'>) {
  let count = 0;
  let drawn = 0;
  const draw = () => problemsOf('prompts', PUZZLES)[drawn++ % PUZZLES].puzzle.id;
  const store: StoreApi<ExitStepsState> = createStore<ExitStepsState>(() => ({
    text: draw(),
    puzzle: null,
    steps: [],
    model: 'base',
    runId: null,
    seed: 1,
    temperature: 1,
    writing: null,
    problem: null,
  }));

  /** Writes an answer; returns whether it can still be improved. */
  async function step(): Promise<boolean> {
    const before = store.getState();
    if (before.writing || before.steps.length >= MOST_ANSWERS) return false;
    const id = `iterate-${++count}`;
    try {
      const puzzle = before.puzzle ?? puzzleOf(before.text);
      const task = nextTask(puzzle, before.steps);
      store.setState({ puzzle, writing: id, problem: null });
      const { model, runId, temperature } = before;
      const [{ completion }] = await client.request('play', {
        id,
        runId,
        models: [model],
        temperature,
        maxNew: ROW,
        // Every step has its own random numbers.
        seed: before.seed + 1000 * before.steps.length,
        ask: { kind: 'text', text: task.prompt },
      });
      const verdict = gradeChain(task, completion);
      if (store.getState().writing !== id) return false;
      store.setState(({ steps }) => ({ steps: [...steps, { task, completion, verdict }] }));
      return !verdict.correct;
    } catch (error) {
      if (!(error instanceof StoppedError)) store.setState({ problem: problemOf(error) });
      return false;
    } finally {
      if (store.getState().writing === id) store.setState({ writing: null });
    }
  }

  /** Restarts with another puzzle, model or seed. */
  function change(changes: Partial<Pick<ExitStepsState, 'text' | 'model' | 'runId' | 'seed' | 'temperature'>>): void {
    store.setState({ ...changes, puzzle: null, steps: [], writing: null, problem: null });
  }

  return {
    store,
    step,
    change,
    draw: () => change({ text: draw() }),
    /** Continues until the puzzle is solved, the user stops, or the chain has its maximum length. */
    async run(): Promise<void> {
      while (await step());
    },
    async stop(): Promise<void> {
      const { writing } = store.getState();
      if (!writing) return;
      store.setState({ writing: null });
      await client.request('stopTask', { task: writing }).catch(() => {});
    },
  };
}
