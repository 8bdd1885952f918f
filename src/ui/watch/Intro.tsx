// Describes in plain words what the form's experiment would do: its environment, its basis if it has one, and each chosen arm.

import { ARMS } from '../../experiments/config/arms.ts';
import { capabilitiesOf } from '../../experiments/config/environments.ts';
import { EMBEDDED_MODELS } from '../../experiments/config/preset-in.ts';
import { rolloutPresentationOf } from '../../experiments/environments/registry.ts';
import { armStyle } from '../../store/runs/arm-style.ts';
import { Swatch } from '../charts/Legend.tsx';
import { useLab } from '../lab-context.ts';
import { Empty } from '../parts/Section.tsx';

export function Intro({ environment }: { environment: string }) {
  const arms = useLab((state) => state.draft.arms);
  const model = useLab((state) => state.draft.fields.model);
  const capabilities = capabilitiesOf(environment);
  const projects = arms.some((arm) => ARMS[arm].projection !== 'none');
  return (
    <Empty title="What a run does">
      <ol className="steps">
        <li>
          {capabilities?.loopholes === false ? (
            <>
              <b>{capabilities.label}.</b> {rolloutPresentationOf(environment).lead}
            </>
          ) : (
            <>
              <b>The loophole.</b> A small coder is trained by reinforcement on problems, some of whose graders have one
              flaw. Some passes are solutions; a pass by the flaw is a hack.
            </>
          )}
        </li>
        {projects ? (
          <li>
            <b>The basis.</b> A few labelled pairs, a hack beside a clean answer, give each layer a handful of
            directions that point towards the hack (“hack-ward”).
          </li>
        ) : null}
        <li>
          <b>{arms.length === 1 ? 'The arm.' : 'The arms.'}</b>
          <ul className="intro-arms" aria-label="What the chosen arms do">
            {arms.map((arm) => (
              <li key={arm}>
                <Swatch entry={{ style: armStyle(arm) }} />
                <span>
                  <i>{ARMS[arm].label}</i>: {ARMS[arm].description}
                </span>
              </li>
            ))}
          </ul>
        </li>
      </ol>
      {capabilities?.needsModel && EMBEDDED_MODELS.includes(model) ? (
        <p>None of the lab’s own models acts here: load a chat model to run it.</p>
      ) : (
        <p>
          Press <b>Run</b>: the model, {model}, is trained in this tab.
        </p>
      )}
    </Empty>
  );
}
