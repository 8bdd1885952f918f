// Choice of arms: the environment's main arms are in view, controls and baselines are folded; a fold describes the chosen arms.
import { useDeferredValue, useState } from 'react';
import { vanillaWithin } from '../../experiments/analysis/vanilla.ts';
import { ARM_NAMES, ARMS, type ArmName } from '../../experiments/config/arms.ts';
import { isOffered } from '../../experiments/config/preset-in.ts';
import { armStyle } from '../../store/runs/arm-style.ts';
import { Swatch } from '../charts/Legend.tsx';
import { useLab, useLabActions } from '../lab-context.ts';
import { MetricHelp } from '../parts/MetricHelp.tsx';

/** Main arms, shown if the environment offers them; all other arms are controls and baselines. */
const MAIN_ARMS: readonly ArmName[] = [
  'none',
  'erase',
  'route',
  'erase-update',
  'route-update',
  'cat',
  'ttrl',
  'rubric',
  'hasty',
  'exit',
  'sdf',
  'sft',
  'rl_constant',
  'rl_algorithm',
];
const OTHER_ARMS = ARM_NAMES.filter((name) => !MAIN_ARMS.includes(name));

export function ArmsField() {
  const lab = useLabActions();
  const arms = useLab((state) => state.draft.arms);
  const error = useLab((state) => state.check.fields.arms);
  const environment = useLab((state) => state.draft.fields.environment.trim());
  // An arm without meaning in this environment is hidden, unless it is chosen, so that it can be removed.
  const isShown = (name: ArmName) => arms.includes(name) || isOffered(environment, name);
  const controls = OTHER_ARMS.filter(isShown);
  const others = OTHER_ARMS.filter((name) => arms.includes(name)).length;
  const [open, setOpen] = useState(others > 0);
  const within = vanillaWithin(arms);
  // Folded parts are drawn after the visible ones.
  const isWhole = useDeferredValue(true, false);
  const chip = (name: ArmName) => {
    const isIncluded = name === 'none' && within !== null;
    const about = isIncluded
      ? `Included: ${ARMS[within].label} trains exactly as vanilla does, so its run has vanilla’s lines too.`
      : ARMS[name].description;
    return (
      <label key={name} className={isIncluded ? 'chip included' : 'chip'} title={about}>
        <input type="checkbox" checked={arms.includes(name)} onChange={() => lab.toggleArm(name)} />
        <Swatch entry={{ style: armStyle(name) }} />
        <span>
          {ARMS[name].label}
          {isIncluded ? <span className="muted"> included</span> : null}
        </span>
      </label>
    );
  };
  return (
    <fieldset className="field arms">
      <legend>Arms</legend>
      <div className="beside-legend">
        <MetricHelp id="arms" name="the arms" />
      </div>
      <div className="chips">{MAIN_ARMS.filter(isShown).map(chip)}</div>
      {controls.length > 0 ? (
        <details className="more-arms" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            Controls and baselines{' '}
            {others > 0 ? (
              <span className="tag">{others} chosen</span>
            ) : (
              <span className="muted">{controls.length}</span>
            )}
          </summary>
          {isWhole || open ? <div className="chips">{controls.map(chip)}</div> : null}
        </details>
      ) : null}
      {error ? (
        <p className="error" role="alert">
          {error}
        </p>
      ) : (
        <details className="more-arms">
          <summary>What they do</summary>
          <ul className="arm-notes">
            {arms.map((name) => (
              <li key={name}>
                <b>{ARMS[name].label}</b> {ARMS[name].description}
              </li>
            ))}
          </ul>
        </details>
      )}
    </fieldset>
  );
}
