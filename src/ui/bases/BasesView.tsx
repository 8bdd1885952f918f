// The Bases view, in which the user reads and edits pairs, extracts a basis from them, inspects its axes, and compares two bases.

import { useEffect } from 'react';
import { Bases } from '../keep/Bases.tsx';
import { useBasisBenchActions, useLab, usePairEditor, usePairEditorActions } from '../lab-context.ts';
import { ViewLink } from '../parts/links.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Extract } from './Extract.tsx';
import { HeatMapSection } from './HeatMapSection.tsx';
import { LikenessSection } from './LikenessSection.tsx';
import { PairSets } from './PairSets.tsx';
import './bases.css';

export default function BasesView() {
  const pairs = usePairEditorActions();
  const basisBench = useBasisBenchActions();
  const connection = useLab((state) => state.connection);
  const bases = useLab((state) => state.bases);
  const ready = connection.status === 'ready';
  const shown = usePairEditor((state) => state.pairs !== null || state.edit !== null);

  useEffect(() => {
    if (ready && !shown) void pairs.show(pairs.store.getState().pairSet);
  }, [pairs, ready, shown]);

  // A run that has ended in the meantime may have stored a basis.
  useEffect(() => {
    if (ready && bases) void basisBench.follow();
  }, [basisBench, ready, bases]);

  return (
    <>
      {connection.status === 'failed' ? <Problem problem={connection.problem} /> : null}
      <p className="view-links">
        <ViewLink view="probe">Test this basis</ViewLink>{' '}
        <span className="muted">Seven checks of what a basis tells apart, and what projection along it removes.</span>
      </p>
      <PairSets />
      <Extract />
      <Bases />
      <HeatMapSection />
      <LikenessSection />
    </>
  );
}
