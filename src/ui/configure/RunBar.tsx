// Run and Stop, and why Run cannot be pressed when it cannot.
import { useState } from 'react';
import { useLab, useLabActions } from '../lab-context.ts';
import { Icon } from '../parts/Icon.tsx';

export function RunBar() {
  const lab = useLabActions();
  const busy = useLab((state) => state.busy);
  const check = useLab((state) => state.check);
  const connection = useLab((state) => state.connection);
  const wrong = Object.keys(check.fields).length;
  const spec = check.spec;
  const steps = Number(useLab((state) => state.draft.fields.steps));

  return (
    <div className="run-bar">
      {check.whole ? (
        <div className="callout bad" role="alert">
          <p>{check.whole.message}</p>
          <p>{check.whole.remedy}</p>
        </div>
      ) : null}
      <p className="run-plan">
        {wrong > 0
          ? `${wrong} ${wrong === 1 ? 'field is' : 'fields are'} to be corrected.`
          : spec
            ? plan(spec.arms.length, spec.seeds.length, steps)
            : null}
      </p>
      <div className="run-buttons">
        <button
          type="submit"
          className="btn primary run"
          disabled={busy || spec === null || connection.status !== 'ready'}
        >
          <Icon name="play" />
          {connection.status === 'loading' ? 'Loading …' : busy ? 'Running …' : 'Run'}
        </button>
        <StopButton key={String(busy)} busy={busy} onStop={() => void lab.stop()} />
      </div>
    </div>
  );
}

function StopButton({ busy, onStop }: { busy: boolean; onStop: () => void }) {
  const [asked, setAsked] = useState(false);
  return (
    <button
      type="button"
      className="btn danger"
      disabled={!busy || asked}
      onClick={() => {
        setAsked(true);
        onStop();
      }}
    >
      <Icon name="stop" />
      {asked ? 'Stopping …' : 'Stop'}
    </button>
  );
}

function plan(arms: number, seeds: number, steps: number): string {
  const runs = arms * seeds;
  const count = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;
  return `${count(arms, 'arm')} × ${count(seeds, 'seed')} = ${count(runs, 'run')} of ${count(steps, 'step')}.`;
}
