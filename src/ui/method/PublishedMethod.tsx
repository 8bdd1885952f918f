// The method diagram for an environment's published demo: any of its arms, step by step.
import { useMemo, useRef, useState } from 'react';
import type { PublishedDemo } from '../../experiments/analysis/demo.ts';
import { type DemoSteps, stepsOf } from '../../experiments/analysis/demo-steps.ts';
import { ARMS } from '../../experiments/config/arms.ts';
import { environmentOf } from '../../experiments/config/preset-in.ts';
import { resolveRuns } from '../../experiments/config/spec.ts';
import { armStyle } from '../../store/runs/arm-style.ts';
import { methodStep } from '../../store/runs/method.ts';
import { Swatch } from '../charts/Legend.tsx';
import type { SharedCursor } from '../charts/shared-cursor.ts';
import { useLabActions } from '../lab-context.ts';
import { lazyPart } from '../parts/lazy-part.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { MethodPicture } from './MethodPicture.tsx';
import { useFollowed } from './use-followed.ts';
import { usePlayer } from './use-player.ts';
import './method.css';

const TryBasisOfDemo = lazyPart(async () => ({ default: (await import('./TryBasis.tsx')).TryBasisOfDemo }));

/** `shared`: the cursor of the charts above, along their steps. */
export default function PublishedMethod({ demo, shared }: { demo: PublishedDemo; shared: SharedCursor }) {
  const environment = environmentOf(demo.spec);
  const published = useLabActions().published(document.baseURI);
  const file = useLoaded(() => published.steps(environment), environment);
  if (!file) return null;
  // The key resets the state for another environment.
  return (
    <>
      <Method key={environment} demo={demo} file={file} shared={shared} />
      <TryBasisOfDemo demo={demo} />
    </>
  );
}

function Method({ demo, file, shared }: { demo: PublishedDemo; file: DemoSteps; shared: SharedCursor }) {
  const runs = useMemo(() => resolveRuns(demo.spec), [demo]);
  // The first choice is an arm other than plain GRPO, because the environment is about that arm.
  const [arm, setArm] = useState(() => (runs.find((run) => run.arm !== 'none') ?? runs[0]).arm);
  const box = useRef<HTMLElement>(null);
  const spec = runs.find((run) => run.arm === arm) ?? runs[0];
  const steps = useMemo(() => {
    const evals = demo.runs.find((run) => run.arm === spec.arm && run.seed === spec.seed)?.evals ?? [];
    return stepsOf(file, spec.arm, spec.seed).map((row) =>
      methodStep(
        spec,
        row,
        evals.filter(({ kind }) => kind === 'during'),
      ),
    );
  }, [demo, file, spec]);
  const player = useFollowed(
    usePlayer(steps.length, box),
    shared,
    steps.map(({ step }) => step),
  );
  if (steps.length === 0) return null;
  return (
    <section className="method" aria-label="The method, step by step" ref={box}>
      <header className="method-head">
        <h3>What one step does</h3>
        <p className="muted note">
          The published run’s own numbers, seed {spec.seed}. Point at a step, here or in the charts.
        </p>
        <ArmChoice arms={[...new Set(runs.map((run) => run.arm))]} chosen={arm} onChoose={setArm} />
      </header>
      <MethodPicture steps={steps} player={player} />
    </section>
  );
}

type Arm = keyof typeof ARMS;

export function ArmChoice({
  arms,
  chosen,
  onChoose,
}: {
  arms: readonly Arm[];
  chosen: Arm;
  onChoose: (arm: Arm) => void;
}) {
  if (arms.length < 2) return null;
  return (
    <fieldset className="method-arms">
      <legend className="unseen">Arm</legend>
      {arms.map((arm) => (
        <label key={arm} className="method-arm">
          <input type="radio" name="method-arm" checked={arm === chosen} onChange={() => onChoose(arm)} />
          <Swatch entry={{ style: armStyle(arm) }} />
          <span>{ARMS[arm].label}</span>
        </label>
      ))}
    </fieldset>
  );
}
