// Sliders and lists that select a basis. Every change is computed at once.
import { useId } from 'react';
import { PAIR_SETS, readsCodeAlone } from '../../environments/code/pair-sets/table.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { ownChoice, type TrialChoice } from '../../experiments/kinds/run/own-choice.ts';
import { useBasisTrial, useBasisTrialActions, useLab } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { choicesOf, optionsOf } from '../parts/Choice.tsx';

const KINDS: Readonly<Record<TrialChoice['kind'], string>> = {
  real: 'the labelled pairs',
  random: 'random directions',
  random_matched: 'random, as much removed',
  permuted: 'permuted labels',
  flipped: 'flipped labels',
};
const GATES: Readonly<Record<TrialChoice['gate'], string>> = {
  one_sided: 'hack-ward only',
  no_gate: 'both ways',
  reverse: 'reversed',
};
const AXES: Readonly<Record<TrialChoice['basisKind'], string>> = { svd: 'singular vectors', mean_diff: 'the mean' };
const LOSSES: Readonly<Record<TrialChoice['basisLoss'], string>> = { nll: 'mean per token', grpo: 'sum (GRPO)' };

export function TrialControls({ spec }: { spec: RunSpec }) {
  const trial = useBasisTrialActions();
  const choice = useBasisTrial((state) => state.choice)!;
  const nPairs = useBasisTrial((state) => state.pairs?.length ?? spec.pairs - spec.nHeldout);
  const ownSets = useLab((state) => state.pairSets);
  const change = (changes: Partial<TrialChoice>) => void trial.change(changes);
  const isMatched = choice.kind === 'random_matched';
  const hasAxes = !isMatched && choice.basisKind === 'svd';
  const sets = [
    ...PAIR_SETS.filter(({ models }) => models === 'any' || !readsCodeAlone(spec.model)),
    ...ownSets.map(({ id, name }) => ({ id, label: name })),
  ].map(({ id, label }) => [id, label] as const);
  // A set of the run's environment is not among the sets for all environments.
  const known = sets.some(([id]) => id === choice.pairSet)
    ? sets
    : [[choice.pairSet, choice.pairSet] as const, ...sets];
  const list = choicesOf(choice, change);
  const most = nPairs - choice.off.length;
  const isOwn = JSON.stringify(choice) === JSON.stringify(ownChoice(spec));
  return (
    <>
      {hasAxes ? (
        <Slider
          label="Axes k"
          value={Math.min(choice.k, most)}
          min={1}
          max={Math.max(1, most)}
          step={1}
          set={(k) => change({ k })}
        />
      ) : null}
      {isMatched ? null : (
        <Slider
          label="Noise floor"
          value={choice.dropBottomFrac}
          min={0}
          max={0.95}
          step={0.05}
          text={`weakest ${Math.round(100 * choice.dropBottomFrac)}% of axes dropped`}
          set={(dropBottomFrac) => change({ dropBottomFrac })}
        />
      )}
      <Slider
        label="Overshoot"
        value={choice.overshoot}
        min={0}
        max={3}
        step={0.1}
        text={`${choice.overshoot.toFixed(1)} × taken out`}
        set={(overshoot) => change({ overshoot })}
      />
      <div className="trial-lists">
        {list('gate', 'Gate', optionsOf(GATES))}
        {list('kind', 'Basis from', optionsOf(KINDS))}
      </div>
      {isMatched ? null : (
        <details className="fold trial-more">
          <summary>How it is extracted</summary>
          <div className="trial-lists">
            {list('pairSet', 'Pair set', known)}
            {list('basisKind', 'Axes from', optionsOf(AXES))}
            {list('basisLoss', 'Gradient of a pair', optionsOf(LOSSES))}
          </div>
        </details>
      )}
      <Button label="Back to the run’s own" disabled={isOwn} onClick={() => void trial.reset()} />
    </>
  );
}

interface SliderProps {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  /** The value as text; if absent, the number. */
  text?: string;
  set: (value: number) => void;
}

function Slider({ label, value, text = String(value), set, ...range }: SliderProps) {
  const id = useId();
  return (
    <p className="trial-slider">
      <label htmlFor={id}>{label}</label>
      <output className="num" htmlFor={id}>
        {text}
      </output>
      <input
        id={id}
        type="range"
        {...range}
        value={value}
        aria-valuetext={text}
        onChange={(event) => set(Number(event.target.value))}
      />
    </p>
  );
}
