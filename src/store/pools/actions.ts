// Teacher pools that a model writes on this page, the choice of the next experiment's pool, and undoable deletions.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { familySetOf } from '../../environments/code/types.ts';
import { resolveRuns } from '../../experiments/config/spec.ts';
import type { PoolBuild } from '../../experiments/pools/build.ts';
import type { PlayRun } from '../../lab/protocol/playground.ts';
import type { PoolTeacher } from '../../lab/protocol/pools.ts';
import type { PoolReport } from '../../lab/protocol/protocol.ts';
import type { StoreContext } from '../context.ts';
import type { FormActions } from '../form/actions.ts';
import { attempt } from '../notices.ts';
import { createWorkerTask } from '../worker-task.ts';
import { poolName } from './words.ts';

export function createPoolActions(context: StoreContext, form: FormActions, refresh: () => Promise<void>) {
  const { store, client, notices, undoableDelete } = context;
  const task = createWorkerTask(context, 'pool', {
    getState: () => ({ work: store.getState().poolWork }),
    setState: ({ work }) => store.setState({ poolWork: work }),
  });

  return {
    /** Returns whether the pool was built. */
    async buildPool(teacher: PoolTeacher, build: PoolBuild): Promise<boolean> {
      const ask = async (task: string) => {
        const { id, rows, problems } = await client.request('buildPool', { task, teacher, build });
        undoableDelete.keep(`pool:${id}`);
        notices.tell('good', `A teacher pool of ${rows} rows for ${problems} prompts was built.`);
        await refresh();
        return true;
      };
      const isBuilt = await task.run({ done: 0, total: 0, etaSeconds: null }, ask, (error) => {
        if (error instanceof StoppedError) notices.tell('info', 'The pool was not built: it was stopped.');
        else notices.fail(error);
      });
      return isBuilt ?? false;
    },

    cancelPool: () => task.stop(),

    /** The problems of the experiment in the form; null as long as the form has any error. */
    poolBuildOfForm(): Omit<PoolBuild, 'samples' | 'temperature' | 'seed' | 'withTokens'> | null {
      const { spec } = store.getState().check;
      if (!spec) return null;
      const { modes, honestShare, problems, dataSeed, maxNew, environment } = resolveRuns(spec)[0];
      const isComposed = familySetOf(environment) === 'composed';
      return { modes, honestShare, problems, dataSeed, maxNew, ...(isComposed && { environment }) };
    },

    /** Chooses the next experiment's teacher; null selects the environment's templates. */
    choosePool(report: PoolReport | null): void {
      form.setField('teacherPool', report?.sha256 ?? '');
    },

    removePool(report: PoolReport): void {
      const { id, sha256 } = report;
      const { draft, pools } = store.getState();
      const left = pools.filter((pool) => pool.id !== id);
      const inUse = draft.fields.teacherPool === sha256 && !left.some((pool) => pool.sha256 === sha256);
      store.setState({ pools: left });
      if (inUse) form.setField('teacherPool', '');
      undoableDelete.remove({
        key: `pool:${id}`,
        name: poolName(report),
        request: { kind: 'deletePool', params: { id } },
        gone: refresh,
        restore() {
          // Undo does not replace a pool that was chosen in the meantime.
          if (inUse && store.getState().draft.fields.teacherPool === '') form.setField('teacherPool', sha256);
          void refresh();
        },
      });
    },

    /** Runs with stored adapter parameters, which can be used as teachers. */
    teacherRuns: async (): Promise<PlayRun[]> => (await attempt(notices, client.request('playRuns'))) ?? [],
  };
}
