// The end of an experiment in one sentence, at the head of Watch, with what one does next. It comes into view when the experiment ends
// while it is on show.
import { useEffect, useRef } from 'react';
import { standsForVanilla } from '../../experiments/reading/names.ts';
import { showingOf } from '../../experiments/worlds/of-run.ts';
import { runHeadline } from '../../store/runs/headline.ts';
import type { ExperimentView } from '../../store/runs/view.ts';
import { useLabActions } from '../lab-context.ts';
import { Icon } from '../parts/Icon.tsx';
import { goTo } from '../parts/PlaceLink.tsx';
import { ShareLinkButton } from '../share/ShareLinkButton.tsx';

export function Headline({ view, isLive }: { view: ExperimentView; isLive: boolean }) {
  const lab = useLabActions();
  const box = useRef<HTMLDivElement>(null);
  const headline = runHeadline(view);
  useInViewAtEnd(box, view, isLive && headline !== null);
  if (!headline) return null;

  const { environment } = view.planned[0];
  const bad = showingOf(environment).outcomes.find(({ tone }) => tone === 'bad');
  const arms = view.runs.map(({ spec }) => spec.arm);
  // Where the lesson was learned: vanilla's own run, or the one that trains as it does.
  const run = view.runs.find(({ spec }) => standsForVanilla(spec.arm, arms)) ?? view.runs[0];

  function moreSeeds(): void {
    const { seeds } = view.spec;
    const last = Math.max(...seeds);
    lab.fill({ ...view.spec, seeds: [...seeds, last + 1, last + 2] });
    goTo('run');
  }

  function read(): void {
    void lab.showRollouts(run.id, null, bad?.id);
    goTo('rollouts');
  }

  return (
    <section className="run-headline" aria-label="Headline" ref={box}>
      <p className="headline">{headline.text}.</p>
      <p className="muted note">Final evaluation, on problems that nothing was trained on.</p>
      <div className="published-tools">
        <button type="button" className="btn small" onClick={moreSeeds}>
          <Icon name="play" size={14} />
          More seeds
        </button>
        <button type="button" className="btn small" onClick={read}>
          <Icon name="open" size={14} />
          {bad ? 'Read the hacks' : 'Read the answers'}
        </button>
        <ShareLinkButton name="this result" />
      </div>
    </section>
  );
}

function useInViewAtEnd(box: React.RefObject<HTMLElement | null>, { id }: ExperimentView, isOver: boolean): void {
  const was = useRef<{ id: string; isOver: boolean } | null>(null);
  useEffect(() => {
    const before = was.current;
    was.current = { id, isOver };
    // Only an end that was seen here; not an experiment that is opened finished.
    if (!isOver || before?.id !== id || before.isOver) return;
    const at = document.activeElement;
    const isReading = at?.closest('dialog, #rollouts, [popover]') ?? null;
    if (!isReading) box.current?.scrollIntoView({ block: 'nearest' });
  }, [box, id, isOver]);
}
