// The end of an experiment at the top of Watch: its sentence, each metric before and after, what does not hold, and what to do next. The
// page scrolls to it when the shown experiment ends.
import { useEffect, useMemo, useRef } from 'react';
import { ONSET, stepBeforeRise } from '../../experiments/analysis/early-warning.ts';
import { headlineParts } from '../../experiments/analysis/headline.ts';
import { armLabel } from '../../experiments/analysis/names.ts';
import type { ExperimentView } from '../../store/experiment-view.ts';
import { type SuggestedRollout, suggestRollout } from '../../store/rollouts/suggested.ts';
import { Dumbbells } from '../inspect/Dumbbells.tsx';
import { useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { DocLink } from '../parts/links.tsx';
import { goAfterRedraw, goTo } from '../parts/PlaceLink.tsx';
import { useLoaded } from '../parts/use-loaded.ts';

const SinceFork = lazyPart(() => import('../inspect/SinceFork.tsx'));

export default function Headline({ view, isLive }: { view: ExperimentView; isLive: boolean }) {
  const lab = useLabActions();
  const box = useRef<HTMLDivElement>(null);
  const { result, planned } = view;
  const headline = useMemo(() => result && headlineParts(result, planned[0].environment), [result, planned]);
  useInViewAtEnd(box, view, isLive && headline !== null);
  if (!headline || !result) return null;

  function moreSeeds(): void {
    const { seeds } = view.spec;
    const last = Math.max(...seeds);
    lab.fill({ ...view.spec, seeds: [...seeds, last + 1, last + 2] });
    goTo('run');
  }

  /** A fork has its parent's seed, so no seeds are added. */
  function again(): void {
    lab.fill(view.spec);
    goAfterRedraw('configure');
  }

  return (
    <section className="run-headline" aria-label="Headline" ref={box}>
      {result.spec.fork ? (
        <SinceFork
          result={result}
          metrics={headline.metrics}
          sentence={headline.sentence}
          evidence={headline.evidence}
        />
      ) : (
        <>
          <p className="headline">{headline.sentence}</p>{' '}
          <p className="muted note">{headline.evidence} Final evaluation, on problems unseen in training.</p>
          <Dumbbells metrics={headline.metrics} table={result.table} runs={view.runs} />
        </>
      )}
      {headline.limits ? (
        <p className="note run-limits">
          <b>What does not hold.</b> {headline.limits} <DocLink path="docs/explanation/limits.md">Limits</DocLink>
        </p>
      ) : null}
      <div className="published-tools">
        <OnsetFork view={view} />
        {view.spec.fork ? (
          <Button label="Back to the fork" title="Fills the form with it, to change something else" onClick={again} />
        ) : (
          <Button label="More seeds" title="Adds two seeds to the form; Run trains them" onClick={moreSeeds} />
        )}
        <Read view={view} />
      </div>
    </section>
  );
}

/** Forks the first run in which hacking rises, at a step before the rise. At the rise itself a changed setting would be too late. */
function OnsetFork({ view: { runs } }: { view: ExperimentView }) {
  const lab = useLabActions();
  const onset = useMemo(() => {
    for (const run of runs) {
      const step = stepBeforeRise(run);
      if (step !== null) return { run, step };
    }
    return null;
  }, [runs]);
  if (!onset) return null;

  async function fork({ run, step }: NonNullable<typeof onset>): Promise<void> {
    if (await lab.fork(run.id, step)) goAfterRedraw('configure');
  }

  return (
    <Button
      label={`Fork at step ${onset.step}, before hack rises`}
      title={`${armLabel(onset.run.spec.arm)}, seed ${onset.run.spec.seed}: the mean of the next five steps is ${100 * ONSET.rise} points above the first five`}
      onClick={() => void fork(onset)}
    />
  );
}

/** Opens a rollout with the behaviour that the environment is about if there is one, otherwise the answers of the last step. */
function Read({ view }: { view: ExperimentView }) {
  const lab = useLabActions();
  const worth = useSuggestedRollout(view);

  function read(): void {
    if (worth) void lab.showRollouts(worth.runId, worth.step, worth.verdict);
    else void lab.showRollouts(view.runs[0].id, null);
    goTo('rollouts');
  }

  return <Button icon="open" label={worth?.words ?? 'Read the answers'} onClick={read} />;
}

function useSuggestedRollout({ id, runs }: ExperimentView): SuggestedRollout | null {
  const { rolloutSource } = useLabActions();
  // Loaded once for each experiment, after it has ended. Rollouts that cannot be read are not offered.
  return useLoaded(() => suggestRollout(runs, rolloutSource.heads).catch(() => null), id) ?? null;
}

function useInViewAtEnd(box: React.RefObject<HTMLElement | null>, { id }: ExperimentView, isOver: boolean): void {
  const was = useRef<{ id: string; isOver: boolean } | null>(null);
  useEffect(() => {
    const before = was.current;
    was.current = { id, isOver };
    // Scrolls only if the experiment ended while it was shown, not if it had already ended when it was opened.
    if (!isOver || before?.id !== id || before.isOver) return;
    const at = document.activeElement;
    const isReading = at?.closest('dialog, #rollouts, [popover]') ?? null;
    // Aligned to the top, so that the first charts are in the same screen.
    if (!isReading) box.current?.scrollIntoView({ block: 'start' });
  }, [box, id, isOver]);
}
