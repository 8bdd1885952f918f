// The method as a diagram of one step: prompts, answers, rewards, the gradient, its split, and the deployed part. A slider below it moves
// through all steps.
import { useMemo } from 'react';
import type { MethodStep } from '../../store/runs/method.ts';
import { Button } from '../parts/Button.tsx';
import { SplitPicture } from './SplitPicture.tsx';
import type { Player } from './use-player.ts';

interface MethodPictureProps {
  steps: readonly MethodStep[];
  player: Player;
  /** Steps with a checkpoint, marked on the slider. */
  kept?: readonly number[];
}

export function MethodPicture({ steps, player, kept = [] }: MethodPictureProps) {
  const shown = steps[player.at];
  const most = useMemo(
    () => Math.max(...steps.map(({ split }) => (split ? Math.max(split.deployed, split.quarantine) : 0)), 1e-12),
    [steps],
  );
  const hasSplit = steps.some(({ split }) => split !== null);
  const { split, stages, deployed } = shown;
  return (
    <div className="method-picture">
      <div className={hasSplit ? 'method-flow with-split' : 'method-flow'}>
        <ol className="method-stages" aria-label={`What happens in step ${shown.step}`}>
          {stages.map(({ id, title, figure, about }) => (
            <li key={id} className="stage" data-stage={id}>
              <b>{title}</b>
              <span className="stage-figure num">{figure}</span>
              <span className="stage-about">{about}</span>
            </li>
          ))}
        </ol>
        {split ? (
          <SplitPicture split={split} most={most} isPlaying={player.isPlaying} />
        ) : hasSplit ? (
          <p className="no-split">No gradient in this step: every group had equal rewards.</p>
        ) : null}
      </div>
      {deployed ? (
        <p className="method-deployed num">
          {deployed.model === 'deployed' ? 'Deployed' : 'The model'}, tested on the few problems of training’s own check
          after step {deployed.step}:{' '}
          {deployed.figures.map(({ label, text }) => `${label.toLowerCase()} ${text}`).join(', ')}.
        </p>
      ) : null}
      <StepTrack steps={steps} player={player} kept={kept} />
    </div>
  );
}

const TRACK = { width: 600, height: 44 };

/** All steps as a line of the share along V, if gradients are split. Pointing at it shows a step. */
function StepTrack({ steps, player, kept = [] }: MethodPictureProps) {
  const { at, isPlaying } = player;
  const hasSplit = steps.some(({ split }) => split !== null);
  const path = useMemo(() => trackPath(steps), [steps]);
  const x = (i: number) => (TRACK.width * i) / Math.max(1, steps.length - 1);
  const first = steps[0].step;
  return (
    <div className="step-track">
      <Button
        icon={isPlaying ? 'pause' : 'play'}
        isLarge
        onClick={player.toggle}
        aria-label={isPlaying ? 'Pause the picture' : 'Play the steps'}
        title={isPlaying ? 'Pause' : 'Play the steps'}
      />
      <div
        className="track"
        onPointerMove={({ currentTarget, clientX, pointerType }) => {
          if (pointerType !== 'mouse') return;
          const { left, width } = currentTarget.getBoundingClientRect();
          const to = Math.round(((clientX - left) / width) * (steps.length - 1));
          if (to !== at) player.go(Math.max(0, Math.min(steps.length - 1, to)));
        }}
        onPointerLeave={player.leave}
      >
        {path ? (
          <svg viewBox={`0 0 ${TRACK.width} ${TRACK.height}`} preserveAspectRatio="none" aria-hidden="true">
            <path className={hasSplit ? 'track-line split' : 'track-line'} d={path} />
            {kept.map((step) => (
              <path key={step} className="track-kept" d={`M${x(step - first)} ${TRACK.height}v-8`} />
            ))}
            <path className="track-at" d={`M${x(at)} 0V${TRACK.height}`} />
          </svg>
        ) : null}
        <input
          type="range"
          min={0}
          max={Math.max(0, steps.length - 1)}
          value={at}
          onChange={(event) => player.go(Number(event.target.value))}
          onBlur={player.leave}
          aria-label="Step"
          aria-valuetext={steps[at].words}
        />
      </div>
      <span className="track-step num" role={isPlaying ? undefined : 'status'}>
        step {steps[at].step} of {steps.at(-1)?.step}
        {hasSplit ? <span className="muted"> · line: share along V</span> : null}
      </span>
    </div>
  );
}

/** The line's path; null with fewer than two known shares. */
function trackPath(steps: readonly MethodStep[]): string | null {
  const shares = steps.map(({ split }) => split?.share ?? null);
  const known = shares.flatMap((share) => share ?? []);
  if (known.length < 2) return null;
  const most = Math.max(...known);
  const least = Math.min(...known, 0);
  const y = (share: number) => 3 + (TRACK.height - 6) * (1 - (share - least) / (most - least || 1));
  let pen = 'M';
  return shares
    .flatMap((share, i) => {
      if (share === null) {
        pen = 'M';
        return [];
      }
      const point = `${pen}${((TRACK.width * i) / (steps.length - 1)).toFixed(1)} ${y(share).toFixed(1)}`;
      pen = 'L';
      return [point];
    })
    .join('');
}
