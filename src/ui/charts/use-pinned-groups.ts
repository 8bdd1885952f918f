// Reads the pinned runs, each once, when charts that show them are first drawn.
import { useEffect, useMemo, useState } from 'react';
import { type ComparedGroup, groupsOf } from '../../experiments/analysis/compare-runs.ts';
import { nameOf } from '../../experiments/analysis/names.ts';
import type { Fork } from '../../experiments/config/spec.ts';
import { shortName, titlesOf } from '../../store/kinds/run/titles.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { usePins } from './pins.ts';

/** The group of a fork's parent run alone; null if the group belongs to another arm. */
function parentIn(group: ComparedGroup, { run, arm, seed }: Pick<Fork, 'run' | 'arm' | 'seed'>): ComparedGroup | null {
  const runs = group.runs.filter(({ id }) => id === run);
  return group.arm === arm && runs.length > 0
    ? { ...group, label: `parent: ${nameOf(arm, group.model, [arm])}`, seeds: [seed], runs }
    : null;
}

/**
 * The groups of all pinned runs except `shown` that are stored here and belong to `environment`; and `parent`, the run from which it is
 * forked.
 */
export function usePinnedGroups(
  shown: string | null,
  environment: string,
  parent: Pick<Fork, 'run' | 'arm' | 'seed'> | null = null,
): readonly ComparedGroup[] {
  const lab = useLabActions();
  const ids = usePins();
  const kept = useLab((state) => state.kept.run);
  const origin = parent?.run.split('/')[0] ?? null;
  const wanted = useMemo(
    () => kept.filter(({ id, status }) => id !== shown && ((ids.includes(id) && status === 'done') || id === origin)),
    [kept, ids, shown, origin],
  );
  const [groups, setGroups] = useState<ReadonlyMap<string, readonly ComparedGroup[]>>(new Map());
  useEffect(() => {
    let current = true;
    for (const summary of wanted) {
      if (groups.has(summary.id)) continue;
      void lab.loadKept(summary.id).then((loaded) => {
        if (!loaded || !current) return;
        const own = groupsOf(
          summary.id,
          shortName(titlesOf(kept).get(summary.id) ?? ''),
          loaded.record.spec,
          loaded.runs,
        );
        setGroups((before) => new Map(before).set(summary.id, own));
      });
    }
    return () => {
      current = false;
    };
  }, [wanted, groups, lab, kept]);
  return useMemo(
    () =>
      wanted
        .flatMap(({ id }) => {
          const all = groups.get(id) ?? [];
          return ids.includes(id) || !parent ? all : all.flatMap((group) => parentIn(group, parent) ?? []);
        })
        .filter(({ runs }) => runs[0]?.spec.environment === environment),
    [wanted, groups, environment, ids, parent],
  );
}
