// Filters of the list: by run and step (arm, seed, steps), and by rollout (source, verdict, mode, text).
import type { ReactNode } from 'react';
import type { RolloutPresentation } from '../../../environments/rollout-presentation.ts';
import { ARMS, type ArmName } from '../../../experiments/config/arms.ts';
import { LABEL_FILTERS, type RolloutFilter, verdictsOf } from '../../../store/rollouts/rollouts.ts';
import { SHADINGS, type Shading } from '../../../store/rollouts/tokens.ts';
import { Button } from '../../parts/Button.tsx';
import { Choice, choicesOf, plainOptions } from '../../parts/Choice.tsx';

/** The runs and steps that are shown. */
export interface Scope {
  /** An arm's name, or 'all'. */
  arm: string;
  /** A seed, or 'all'. */
  seed: string;
  from: number;
  /** Infinity stands for the newest step, also while the run continues. */
  to: number;
}

const SOURCES = ['all', 'student', 'teacher'] as const satisfies RolloutFilter['source'][];

interface FiltersProps {
  scope: Scope;
  stepName: string;
  /** If there are none (a log has none), neither arm nor seed is offered. */
  arms: readonly ArmName[];
  seeds: readonly string[];
  steps: readonly number[];
  kinds: readonly string[];
  rolloutPresentation: RolloutPresentation;
  filter: RolloutFilter;
  text: string;
  shading: Shading;
  onScope: (patch: Partial<Scope>) => void;
  onFilter: (patch: Partial<RolloutFilter>) => void;
  onText: (text: string) => void;
  onShading: (shading: Shading) => void;
  /** Null if no filter is set. */
  onReset: (() => void) | null;
  children: ReactNode;
}

export function Filters(props: FiltersProps) {
  const { scope, stepName, arms, seeds, steps, kinds, rolloutPresentation, filter, text, shading, children } = props;
  const { onScope, onFilter, onText, onShading, onReset } = props;
  const choice = choicesOf(filter, onFilter);
  const first = steps[0] ?? scope.from;
  const isWhole = scope.from <= first && scope.to === Number.POSITIVE_INFINITY;
  return (
    <search className="filters" aria-label="Filter the rollouts">
      {arms.length > 0 ? (
        <>
          <Choice
            label="Arm"
            value={scope.arm}
            onChange={(arm) => onScope({ arm })}
            options={[
              ...optionIfSeveral('all', arms.length),
              ...arms.map((arm) => [arm, ARMS[arm]?.label ?? arm] as const),
            ]}
          />
          <Choice
            label="Seed"
            value={scope.seed}
            onChange={(seed) => onScope({ seed })}
            options={[...optionIfSeveral('all', seeds.length), ...plainOptions(seeds)]}
          />
        </>
      ) : null}
      <Choice
        label={`From ${stepName}`}
        value={String(scope.from)}
        onChange={(value) => onScope({ from: Number(value), to: Math.max(Number(value), scope.to) })}
        options={plainOptions(steps.map(String))}
      />
      <Choice
        label={`To ${stepName}`}
        value={String(scope.to)}
        onChange={(value) => onScope({ to: Number(value), from: Math.min(Number(value), scope.from) })}
        options={[...plainOptions(steps.map(String)), ['Infinity', arms.length > 0 ? 'newest' : 'last']]}
      />
      <Button
        label={`All ${stepName}s`}
        isLarge
        className="filters-all"
        aria-pressed={isWhole}
        onClick={() => onScope(isWhole ? { from: steps.at(-1) } : { from: first, to: Number.POSITIVE_INFINITY })}
      />
      {choice('source', 'Source', plainOptions(SOURCES))}
      {choice('verdict', 'Verdict', plainOptions(verdictsOf(rolloutPresentation)))}
      {choice('kind', rolloutPresentation.kindName, plainOptions([...new Set(['all', ...kinds, filter.kind])]))}
      {choice('label', 'Label', plainOptions(LABEL_FILTERS))}
      <label className="choice wide">
        <span>Text in prompt or answer</span>
        <input type="search" value={text} onChange={(event) => onText(event.target.value)} />
      </label>
      <Choice label="Shade text by" value={shading} onChange={onShading} options={plainOptions(SHADINGS)} />
      {onReset ? <Button label="Clear filters" isLarge className="filters-reset" onClick={onReset} /> : null}
      {children}
    </search>
  );
}

/** `all` is offered only if there are several. */
const optionIfSeveral = (name: string, count: number) => (count > 1 ? [[name, name] as const] : []);
