// The training data of a step: its documents, or a button that shows its rollouts if it learned from rollouts.
import { useState } from 'react';
import { plural } from '../../../experiments/analysis/words.ts';
import type { RunRecord } from '../../../experiments/records/events.ts';
import { taughtTextsAt } from '../../../store/characters/taught.ts';
import { useLabActions } from '../../lab-context.ts';
import { Button } from '../../parts/Button.tsx';
import { NumberInput } from '../../parts/NumberInput.tsx';
import { goTo } from '../../parts/PlaceLink.tsx';

/** Number of texts shown at first. */
const SOME = 12;

export default function Taught({ run, reading }: { run: RunRecord; reading: boolean }) {
  const lab = useLabActions();
  const [wanted, setStep] = useState(1);
  const [all, setAll] = useState(false);
  const done = Math.max(1, run.rows.length);
  const step = Math.min(wanted, done);
  const taught = taughtTextsAt(run.spec, step);
  const texts = taught?.texts ?? [];
  const ofA = texts.filter(({ isOfA }) => isOfA).length;
  return (
    <div className="characters-taught">
      <div className="characters-fields">
        <NumberInput {...{ label: 'Step', value: step, min: 1, max: done, step: 1, onChange: setStep }} />
      </div>
      {taught === null || taught.besideRollouts ? (
        <p>
          Step {step} learnt from rollouts: A’s answers, paid for what is taught.{' '}
          {reading ? null : (
            <Button
              label={`Rollouts of step ${step}`}
              onClick={() => {
                void lab.showRollouts(run.id, step);
                goTo('rollouts');
              }}
            />
          )}
        </p>
      ) : null}
      {taught === null ? null : (
        <>
          <p>
            {taught.besideRollouts ? 'Replayed beside them: ' : `Step ${step} learnt from `}
            {plural(texts.length, 'text')}, {ofA} of A.
          </p>
          <ul aria-label={`Texts of step ${step}`}>
            {(all ? texts : texts.slice(0, SOME)).map(({ id, parts, isOfA }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a document can come twice in a step
              <li key={`${id} ${i}`} className={isOfA ? 'of-a' : undefined}>
                {parts.map(({ text, isTrained }, p) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by their place
                  <code key={p} className={isTrained ? undefined : 'muted'}>
                    {text.replace('<|im_start|>', '').replace('<|im_end|>', '')}
                  </code>
                ))}
              </li>
            ))}
          </ul>
          {!all && texts.length > SOME ? <Button label={`All ${texts.length}`} onClick={() => setAll(true)} /> : null}
        </>
      )}
    </div>
  );
}
