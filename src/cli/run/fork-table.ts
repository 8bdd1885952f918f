// Forks beside their parent as text: what changed, and each headline metric of both since the step at which they part.
import type { MetricInfo } from '../../environments/metric-info.ts';
import { armLabel } from '../../experiments/analysis/names.ts';
import { changesAtFork, type SinceFork, sinceFork } from '../../experiments/analysis/since-fork.ts';
import { settingText } from '../../experiments/config/settings.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { decimal } from '../../lib/numbers.ts';
import { textTable } from '../table.ts';

const PARTS = {
  steps: ({ n, metric }: SinceFork) => `${metric}, mean of ${n} paired steps`,
  final: ({ metric }: SinceFork) => `${metric}, final evaluation`,
  deployed: ({ metric }: SinceFork) => `${metric}, final evaluation, quarantine removed`,
} as const;

const shown = (name: string, value: unknown) =>
  name === 'arm' ? armLabel(value as string) : settingText(value as string);

/** `parent` null: it has not ended, and there is nothing beside which to put the forks. */
export function renderForks(
  parent: RunRecord | null,
  runs: readonly RunRecord[],
  headlines: readonly MetricInfo[],
): string {
  const shares = new Map(headlines.map(({ id, unit }) => [id, unit === 'share']));
  const difference = ({ metric, difference: x }: SinceFork) =>
    `${x > 0 ? '+' : ''}${shares.get(metric) ? `${decimal(100 * x, 1)} points` : decimal(x)}`;
  return runs
    .flatMap((run) => {
      const { fork } = run.spec;
      if (!fork) return [];
      const changes = changesAtFork(run.spec).map(
        ({ name, before, after }) => `${name} ${shown(name, before)} → ${shown(name, after)}`,
      );
      const head = `${armLabel(run.spec.arm)}: since step ${fork.step}, paired with ${armLabel(fork.spec.arm)}, seed ${fork.spec.seed}; ${changes.join(', ') || 'nothing changed'}.`;
      const rows = parent ? sinceFork(parent, run, [...shares.keys()]) : [];
      if (rows.length === 0) return ['', head];
      const table = textTable(rows, [
        ['', (row: SinceFork) => PARTS[row.part](row)],
        ['parent', (row: SinceFork) => decimal(row.parent)],
        ['fork', (row: SinceFork) => decimal(row.child)],
        ['difference', difference],
      ]);
      return ['', head, table];
    })
    .concat(
      '',
      ...(parent ? [] : ['The parent has not ended: the forks are compared with the untrained model alone.']),
      'One pair of runs: the difference is this change’s in this run, without a spread. Fork other seeds’ runs for one.',
    )
    .join('\n');
}
