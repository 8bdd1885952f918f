// Buttons that run or queue the experiment, pause it, train a single step, and stop it; the memory and time that it needs; and the reason
// if it cannot be run.
import { useMemo, useState } from 'react';
import { plural } from '../../experiments/analysis/words.ts';
import type { RunEstimate } from '../../lab/protocol/protocol.ts';
import { bytesText, duration } from '../../lib/numbers.ts';
import { asksForModel } from '../../store/models/follow-environment.ts';
import { isUnderWay } from '../../store/queue.ts';
import { missingFor } from '../../store/share/needs.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { ViewLink } from '../parts/links.tsx';

const BasisChip = lazyPart(() => import('./BasisChip.tsx'));

/** @param onNearRun called when the pointer or focus reaches Run, so that the code that a run needs can be loaded */
export function RunBar({ onNearRun }: { onNearRun: () => void }) {
  const lab = useLabActions();
  const busy = useLab((state) => state.busy);
  const check = useLab((state) => state.check);
  const connection = useLab((state) => state.connection);
  const estimate = useLab((state) => state.estimate);
  const wrong = Object.keys(check.fields).length;
  const spec = check.spec;
  const steps = Number(useLab((state) => state.draft.fields.steps));
  const missing = useMissing();
  // True if the form's experiment is already running or queued, so there is nothing to start.
  const underWay = useUnderWay();
  const ready = connection.status === 'ready';
  // True if Run was pressed before the model was loaded.
  const waits = useLab((state) => state.startsWhenReady);
  const misfit = spec && !underWay ? estimate?.misfit : null;
  const hasBasis = useLab(({ draft: { fields } }) => fields.basisSource === 'file' && fields.basisFile !== '');
  // This is not an error, because the question is chosen first and its model is offered afterwards.
  const needsModel = useLab((state) => state.check.spec === null && asksForModel(state));
  const refusal = needsModel ? null : (check.whole ?? (ready ? missing : null) ?? misfit);

  return (
    <div className={busy ? 'run-bar busy' : 'run-bar'} id="run">
      {refusal ? <Refusal {...refusal} /> : null}
      {needsModel ? <ModelOffer /> : null}
      {hasBasis && !(busy && underWay) ? <BasisChip /> : null}
      <p className="run-plan">
        {wrong > 0
          ? `${wrong} ${wrong === 1 ? 'field is' : 'fields are'} to be corrected.`
          : spec
            ? planText(spec.arms.length, spec.seeds.length, steps)
            : null}
      </p>
      {spec && !misfit && ready && !(busy && (underWay || !estimate)) ? <ResourceEstimate estimate={estimate} /> : null}
      {busy && !underWay ? (
        <Button
          icon="play"
          label="Add to the queue"
          isLarge
          tone="primary"
          type="submit"
          disabled={spec === null || Boolean(refusal) || !ready}
          title="One experiment trains at a time: this one begins when those before it have ended"
        />
      ) : null}
      <div className="run-buttons">
        {waits ? <Button label="Do not start" isLarge onClick={lab.cancelStart} /> : null}
        {busy ? (
          <PaceButtons />
        ) : (
          <Button
            icon="play"
            label={waits ? 'Starts soon …' : 'Run'}
            isLarge
            tone="primary"
            className="run"
            type="submit"
            data-goal
            title="Ctrl + Enter"
            onPointerEnter={onNearRun}
            onFocus={onNearRun}
            disabled={spec === null || Boolean(refusal) || connection.status === 'failed' || waits}
          />
        )}
        {waits ? null : <StopButton busy={busy} onStop={() => void lab.stop()} />}
      </div>
    </div>
  );
}

function Refusal({ message, remedy }: { message: string; remedy: string }) {
  return (
    <div className="callout bad" role="alert">
      <p>{message}</p>
      <p>{remedy}</p>
    </div>
  );
}

/** The offer itself, with the model's size, is drawn over the charts (RealModel). */
function ModelOffer() {
  return (
    <div className="callout">
      <p>
        This question is asked of a chat model of your own. Load one under <ViewLink view="models">Models</ViewLink>, or
        take the small one that is offered here; then Run trains it.
      </p>
    </div>
  );
}

function useUnderWay(): boolean {
  const spec = useLab((state) => state.check.spec);
  const busy = useLab((state) => state.busy);
  const live = useLab((state) => state.live);
  const queue = useLab((state) => state.queue);
  return useMemo(() => spec !== null && isUnderWay({ live, busy, queue }, spec), [spec, live, busy, queue]);
}

/** Files that the experiment needs and that are not stored in this browser. */
function useMissing() {
  const spec = useLab((state) => state.check.spec);
  const pairSets = useLab((state) => state.pairSets);
  const bases = useLab((state) => state.bases);
  const pools = useLab((state) => state.pools);
  return useMemo(() => spec && missingFor(spec, { pairSets, bases, pools }), [spec, pairSets, bases, pools]);
}

/** Memory and time that the experiment needs, as far as known. */
function ResourceEstimate({ estimate }: { estimate: RunEstimate | null }) {
  if (!estimate) return <p className="run-plan">Measuring this device …</p>;
  const { device, memory, limitBytes, seconds, corrected } = estimate;
  const needed = `${device} · up to ${bytesText(memory.total)}${limitBytes === null ? '' : ` of ${bytesText(limitBytes)}`}`;
  const { weights, folded, factors, keyValues, activations, optimizer } = memory;
  const detail = [
    `Memory: weights ${bytesText(weights)}, merged weights ${bytesText(folded)}, adapter factors ${bytesText(factors)}, KV cache ${bytesText(keyValues)}, activations ${bytesText(activations)}, optimizer and bases ${bytesText(optimizer)}.`,
    corrected
      ? 'Time: from a short measurement, corrected by the steps trained here.'
      : 'Time: from a short measurement; corrected as runs go.',
  ].join(' ');
  return (
    <p className="run-plan" title={detail}>
      <span>
        {needed}
        {seconds ? ' · ' : ''}
      </span>
      {seconds ? `${duration(seconds.perStep)} a step, about ${duration(seconds.total)} in all` : null}
    </p>
  );
}

function PaceButtons() {
  const lab = useLabActions();
  const paused = useLab((state) => state.progress?.paused === true);
  const [wanted, setWanted] = useStopRequested();
  // A pause was requested, but the step is still being trained.
  const waiting = wanted && !paused;
  return (
    <div className="pace">
      <Button
        icon={paused || waiting ? 'play' : 'pause'}
        label={paused || waiting ? 'Resume' : 'Pause'}
        isLarge
        className="run"
        onClick={() => {
          setWanted(!paused && !waiting);
          void lab.pace(paused || waiting ? 'go' : 'pause');
        }}
      />
      <Button
        icon="step"
        label="One step"
        isLarge
        disabled={waiting}
        title="Trains to the end of the next step, and pauses there"
        onClick={() => {
          setWanted(true);
          void lab.pace('step');
        }}
      />
    </div>
  );
}

function StopButton({ busy, onStop }: { busy: boolean; onStop: () => void }) {
  const [asked, setAsked] = useStopRequested();
  return (
    <Button
      icon="stop"
      label={asked ? 'Stopping …' : 'Stop'}
      isLarge
      tone="danger"
      disabled={!busy || asked}
      onClick={() => {
        setAsked(true);
        onStop();
      }}
    />
  );
}

function planText(arms: number, seeds: number, steps: number): string {
  const runs = arms * seeds;
  return `${plural(arms, 'arm')} × ${plural(seeds, 'seed')} = ${plural(runs, 'run')} of ${plural(steps, 'step')}.`;
}

/**
 * Whether the user has requested to stop or pause the running experiment. It is reset when that experiment ends or another one runs. It is
 * a state rather than the button's key, because a remounted button would lose the keyboard's focus.
 */
function useStopRequested(): [boolean, (asked: boolean) => void] {
  const busy = useLab((state) => state.busy);
  const liveId = useLab((state) => state.live?.id);
  const [asked, setAsked] = useState<{ of: string | undefined } | null>(null);
  if (asked && !busy) setAsked(null);
  // A request made before the experiment had its id belongs to the experiment that has it now.
  else if (asked && asked.of === undefined && liveId !== undefined) setAsked({ of: liveId });
  else if (asked && asked.of !== liveId) setAsked(null);
  return [asked !== null, (wish) => setAsked(wish ? { of: liveId } : null)];
}
