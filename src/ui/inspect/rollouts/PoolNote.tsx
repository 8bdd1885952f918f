// Where a run's teacher rows come from, when that is a stored pool.
import type { RunRecord } from '../../../experiments/records/events.ts';
import { poolName, poolUseText } from '../../../store/pools/words.ts';
import { useLab } from '../../lab-context.ts';

export function PoolNote({ run }: { run: RunRecord }) {
  const { teacherPool: sha256, maxNew } = run.spec;
  return (
    <p className="pool-note muted">
      Teacher rows come from <PoolLabel sha256={sha256} />
      {run.teacherPool ? `: ${poolUseText(run.teacherPool, maxNew)}.` : '.'}
    </p>
  );
}

/** The pool's name where it is kept here, and the beginning of its hash. */
export function PoolLabel({ sha256 }: { sha256: string }) {
  const pool = useLab((state) => state.pools.find((kept) => kept.sha256 === sha256));
  return (
    <>
      {pool ? `the pool “${poolName(pool)}” ` : 'a pool that is not kept here '}
      <span className="mono" title={sha256}>
        {sha256.slice(0, 12)}
      </span>
    </>
  );
}
