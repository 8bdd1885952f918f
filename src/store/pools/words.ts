// Texts about teacher pools: their names, the form's choices, and a run's use of a pool.
import type { PoolUse } from '../../experiments/records/pool.ts';
import type { PoolReport } from '../../lab/protocol/protocol.ts';

/** Display name: the file's, or the teacher's. */
export function poolName({ name, teacher, sha256 }: Pick<PoolReport, 'name' | 'teacher' | 'sha256'>): string {
  return name ?? teacher ?? `Templates ${sha256.slice(0, 8)}`;
}

interface PoolOption {
  /** The text of the form's field. */
  value: string;
  label: string;
}

/** Choices of the form's teacher pool: the templates, each stored pool once, and a chosen pool that is not stored here. */
export function poolOptions(pools: readonly PoolReport[], chosen: string): PoolOption[] {
  const bySha256 = new Map<string, PoolReport>();
  // Templates graded by a run count as the templates. Of several equal pools only the newest, which is listed first, is shown.
  for (const pool of pools) if (pool.origin !== 'built' && !bySha256.has(pool.sha256)) bySha256.set(pool.sha256, pool);
  const chosenPool = pools.find(({ sha256 }) => sha256 === chosen);
  if (chosenPool && !bySha256.has(chosen)) bySha256.set(chosen, chosenPool);
  const missing = chosen !== '' && !chosenPool;
  return [
    { value: '', label: 'the environment’s templates' },
    ...[...bySha256.values()].map((pool) => ({
      value: pool.sha256,
      label: `${poolName(pool)} (${pool.rows} rows, ${pool.sha256.slice(0, 8)})`,
    })),
    ...(missing ? [{ value: chosen, label: `not kept here: ${chosen.slice(0, 8)}` }] : []),
  ];
}

/** One line about a run's use of its stored pool. */
export function poolUseText(use: PoolUse, maxNew: number): string {
  const { rows, problems, ofProblems, unused, cut, retokenised, withLogprobs, graderKnown } = use;
  return [
    `${rows} rows for ${problems} of ${ofProblems} problems`,
    problems < ofProblems ? 'the others have only live rollouts' : null,
    unused > 0 ? `${unused} rows belong to no problem of this run` : null,
    cut > 0 ? `${cut} are longer than ${maxNew} tokens and were cut` : null,
    retokenised > 0 ? `${retokenised} were tokenised anew: their token ids are another tokenizer’s` : null,
    withLogprobs > 0 ? `${withLogprobs} with the teacher’s log-probabilities` : null,
    graderKnown ? null : 'the file does not say which grader gave the labels',
  ]
    .filter((part) => part !== null)
    .join('; ');
}
