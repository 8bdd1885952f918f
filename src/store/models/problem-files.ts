// Files of problems on the page: which are stored, which is being checked, the results of a check, and which the next experiment uses. This
// file is loaded separately, since most visits do not need it.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { customEnvironmentId } from '../../environments/custom/presentation.ts';
import { leetcodeEnvironmentId } from '../../environments/leetcode/presentation.ts';
import { COMMON } from '../../experiments/config/settings.ts';
import type { ProblemCheck, ProblemFileReport } from '../../lab/protocol/problems.ts';
import type { StoreContext } from '../context.ts';
import { type Problem, problemOf } from '../lab-state.ts';
import { attempt } from '../notices.ts';
import { createWorkerTask } from '../worker-task.ts';

/** Name of a file in a run's settings. */
const environmentOf = ({ kind, sha256 }: ProblemFileReport): string =>
  kind === 'custom' ? customEnvironmentId(sha256) : leetcodeEnvironmentId(sha256);

export interface ProblemFilesState {
  /** Null until the list has been read. */
  files: ProblemFileReport[] | null;
  /** The file that is being checked. */
  work: { task: string; sha256: string; done: number; total: number } | null;
  /** Results of the last checks, by the file's hash. */
  checks: Readonly<Record<string, ProblemCheck>>;
  problem: Problem | null;
}

export function createProblemFiles(
  { store: page, client, notices }: StoreContext,
  setEnvironment: (environment: string) => void,
) {
  const store: StoreApi<ProblemFilesState> = createStore<ProblemFilesState>(() => ({
    files: null,
    work: null,
    checks: {},
    problem: null,
  }));
  const task = createWorkerTask({ client, notices }, 'problems', store);

  /** Failures are shown in this view. */
  const failures = { fail: (error: unknown) => store.setState({ problem: problemOf(error) }) };

  async function refresh(): Promise<void> {
    const files = await attempt(failures, client.request('listProblems'));
    if (files) store.setState({ files });
  }

  return {
    store,
    refresh,

    async importFile(file: Blob, name: string): Promise<void> {
      store.setState({ problem: null });
      const report = await attempt(failures, client.request('importProblems', { file, name }));
      if (report) {
        const { kind, problems, tests, unused } = report;
        const left = unused > 0 ? ` ${unused} more asserts cannot be judged and are left out.` : '';
        notices.tell(
          'good',
          `${problems} problems with ${tests} ${kind === 'custom' ? 'checks' : 'tests'} were imported.${left}`,
        );
      }
      await refresh();
    },

    /** Runs the canonical programs and the hack × mode table in this page's sandbox, which may take minutes. */
    async check(sha256: string): Promise<void> {
      const ask = async (task: string) => {
        store.setState({ problem: null });
        const found = await client.request('checkProblems', { task, sha256 });
        store.setState(({ checks }) => ({ checks: { ...checks, [sha256]: found } }));
      };
      await task.run({ sha256, done: 0, total: 0 }, ask, (error) => {
        if (error instanceof StoppedError) notices.tell('info', 'The check was stopped.');
        else failures.fail(error);
      });
    },

    /** The file as it was imported. If it is gone, null, and a notice is shown. */
    text: ({ sha256 }: ProblemFileReport) => attempt(failures, client.request('exportProblems', { sha256 })),

    stop: () => task.stop(),

    /** Chooses the next experiment's environment; null selects the one-line problems. */
    choose(file: ProblemFileReport | null): void {
      setEnvironment(file ? environmentOf(file) : COMMON.environment);
    },

    isChosen: (file: ProblemFileReport, environment: string): boolean => environment === environmentOf(file),

    async remove(file: ProblemFileReport): Promise<void> {
      try {
        await client.request('deleteProblems', { sha256: file.sha256 });
        if (page.getState().draft.fields.environment === environmentOf(file)) setEnvironment(COMMON.environment);
      } catch (error) {
        notices.fail(error);
      }
      await refresh();
    },
  };
}
