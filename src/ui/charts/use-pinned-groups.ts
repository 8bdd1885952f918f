// Reads the pinned runs, each once, when charts that show them are first drawn.
import { useEffect, useMemo, useState } from 'react';
import { type ComparedGroup, groupsOf } from '../../experiments/analysis/compare-runs.ts';
import { titlesOf } from '../../store/kinds/run/titles.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { usePins } from './pins.ts';

/** The groups of all pinned runs except `shown` that are kept here and belong to `environment`. */
export function usePinnedGroups(shown: string | null, environment: string): readonly ComparedGroup[] {
  const lab = useLabActions();
  const ids = usePins();
  const kept = useLab((state) => state.kept.run);
  const wanted = useMemo(
    () => kept.filter(({ id, status }) => ids.includes(id) && id !== shown && status === 'done'),
    [kept, ids, shown],
  );
  const [groups, setGroups] = useState<ReadonlyMap<string, readonly ComparedGroup[]>>(new Map());
  useEffect(() => {
    let current = true;
    for (const summary of wanted) {
      if (groups.has(summary.id)) continue;
      void lab.loadKept(summary.id).then((loaded) => {
        if (!loaded || !current) return;
        const own = groupsOf(summary.id, titlesOf(kept).get(summary.id) ?? '', loaded.record.spec, loaded.runs);
        setGroups((before) => new Map(before).set(summary.id, own));
      });
    }
    return () => {
      current = false;
    };
  }, [wanted, groups, lab, kept]);
  return useMemo(
    () =>
      wanted.flatMap(({ id }) => groups.get(id) ?? []).filter(({ runs }) => runs[0]?.spec.environment === environment),
    [wanted, groups, environment],
  );
}
