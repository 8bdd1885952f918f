// A prompt and the answers to it. Texts are loaded when the card is drawn; until then it reserves their height.
import { memo, useMemo } from 'react';
import { rolloutPresentationOf } from '../../../experiments/environments/registry.ts';
import { type RolloutRef, refKey } from '../../../store/rollouts/link.ts';
import type { RolloutGroup } from '../../../store/rollouts/rollouts.ts';
import type { RolloutRun } from '../../../store/rollouts/runs.ts';
import type { Shading } from '../../../store/rollouts/tokens.ts';
import { Prompt } from '../../parts/Prompt.tsx';
import { Agreement } from './Agreement.tsx';
import { Answer } from './Answer.tsx';
import { Rubric } from './Rubric.tsx';
import { useStep, useTokens } from './use-rollouts.ts';

interface GroupCardProps {
  group: RolloutGroup;
  run: RolloutRun | undefined;
  shading: Shading;
  /** `refKey` of the selected rollout, if it is in this group. */
  selected: string | null;
  onOpen: (ref: RolloutRef) => void;
  /** Height in pixels of the card until its texts are loaded. */
  place: number;
}

export const GroupCard = memo(function GroupCard({ group, run, shading, selected, onOpen, place }: GroupCardProps) {
  const { runId, step, promptIndex, taskId, kind } = group;
  const texts = useStep(runId, step);
  const whole = useMemo(() => texts?.filter((one) => one.promptIndex === promptIndex) ?? [], [texts, promptIndex]);
  const shown = useMemo(() => {
    const kept = new Set(group.rollouts.map(({ sampleIndex }) => sampleIndex));
    return whole.filter(({ sampleIndex }) => kept.has(sampleIndex));
  }, [whole, group]);
  const { tokens, note } = useTokens(shown, run, shading);
  const rolloutPresentation = run?.presentation ?? rolloutPresentationOf('');
  const where = `${run?.stepName ?? 'step'} ${step}`;
  return (
    <article className="group-card" aria-label={`Prompt ${taskId}, ${where}`}>
      <header>
        <h3 className="mono">{taskId}</h3>
        <span className="tag">{kind}</span>
        <span className="muted num">
          {run ? `${run.name} · ` : ''}
          {where}
        </span>
        <span className="muted num">
          {shown.length === whole.length ? `${whole.length} rollouts` : `${shown.length} of ${whole.length} rollouts`}
        </span>
      </header>
      {texts === null ? (
        <p className="group-wait" style={{ minHeight: place }}>
          Loading {where} …
        </p>
      ) : (
        <>
          {shown.length > 0 ? <Prompt prompt={shown[0].turns[0].prompt} hint={rolloutPresentation.hint(kind)} /> : null}
          <Agreement rollouts={whole} />
          <Rubric rollouts={whole} />
          {note ? (
            <p className="group-note muted" role="status">
              {note}
            </p>
          ) : null}
          <ul className="answers">
            {shown.map((rollout) => {
              const ref = { runId, step, promptIndex, sampleIndex: rollout.sampleIndex };
              return (
                <Answer
                  key={rollout.sampleIndex}
                  rollout={rollout}
                  rolloutPresentation={rolloutPresentation}
                  place={ref}
                  shading={shading}
                  tokens={tokens.get(rollout)?.turns ?? []}
                  unshaded={tokens.get(rollout)?.why ?? null}
                  selected={selected === refKey(ref)}
                  onOpen={() => onOpen(ref)}
                />
              );
            })}
          </ul>
        </>
      )}
    </article>
  );
});
