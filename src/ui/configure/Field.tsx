// The field of one setting. Its texts and bounds come from the spec's table. The preset's value is marked, a changed value can be reset,
// errors are shown below, and a setting without effect is marked as such. A question mark opens its help.
import { memo, useId } from 'react';
import { builtInPairSet, PAIR_SETS } from '../../environments/code/pair-sets/table.ts';
import type { FieldInfo } from '../../experiments/config/settings.ts';
import { EMBEDDED_REPLICATES, OFFERED_ENVIRONMENTS } from '../../experiments/environments/registry.ts';
import type { PairSetReport } from '../../lab/protocol/bases.ts';
import type { PoolReport } from '../../lab/protocol/protocol.ts';
import { presetText } from '../../store/draft.ts';
import { disabledReason } from '../../store/form/disabled.ts';
import { glossaryOf } from '../../store/glossary/of-setting.ts';
import { poolOptions } from '../../store/pools/words.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Options, plainOptions } from '../parts/Choice.tsx';
import { MetricHelp } from '../parts/MetricHelp.tsx';

/** Environments that need no file; the setting itself accepts any text. */
const ENVIRONMENTS = [...OFFERED_ENVIRONMENTS, ...EMBEDDED_REPLICATES];

/** Memoized, because there are more than a hundred fields, and folding the form must not redraw them. */
export const Field = memo(function Field({ info }: { info: FieldInfo }) {
  const { name, label, unit, help, helpMore, kind } = info;
  const lab = useLabActions();
  const value = useLab((state) => state.draft.fields[name]);
  const error = useLab((state) => state.check.fields[name]);
  const preset = useLab((state) => presetText(state.draft, name));
  const noEffect = useLab((state) => disabledReason(name, state.draft));
  const id = useId();
  const changed = value.trim() !== preset;
  const set = (text: string) => lab.setField(name, text);
  const pools = useLab((state) => state.pools);
  const pairSets = useLab((state) => state.pairSets);
  const options =
    name === 'teacherPool'
      ? poolChoices(pools, value)
      : name === 'pairSet'
        ? pairChoices(pairSets, value)
        : optionsOf(info, value);
  const common = { id, 'aria-describedby': `${id}-help`, 'aria-invalid': error ? true : undefined };

  return (
    <div className={`field${changed ? ' changed' : ''}${noEffect ? ' no-effect-now' : ''}`}>
      <div className="field-head">
        <label htmlFor={id} id={`${id}-label`}>
          {label}
          {unit ? <span className="unit"> {unit}</span> : null}
        </label>
        <MetricHelp id={glossaryOf(name)} name={label} lead={help} more={helpMore} />
      </div>
      {options ? (
        <select {...common} value={value} onChange={(event) => set(event.target.value)}>
          <Options
            of={options.map(([option, text]) => [option, changed && option === preset ? `${text} (preset)` : text])}
          />
        </select>
      ) : (
        <input
          {...common}
          type="text"
          inputMode={kind.type === 'integer' ? 'numeric' : kind.type === 'number' ? 'decimal' : undefined}
          value={value}
          placeholder={preset}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => set(event.target.value)}
        />
      )}
      <div className="under">
        <p className={error ? 'error' : 'help'} id={`${id}-help`} role={error ? 'alert' : undefined}>
          {noEffect && !error ? <b className="no-effect">No effect now: {noEffect}.</b> : null}{' '}
          {error ?? <span className="unseen">{help}</span>}{' '}
          {changed ? <span className="was">Preset: {optionLabel(preset)}.</span> : null}
        </p>
        {changed ? (
          <button type="button" className="reset" aria-describedby={`${id}-label`} onClick={() => set(preset)}>
            Reset
          </button>
        ) : null}
      </div>
    </div>
  );
});

/** A setting's value as its control shows it. */
const optionLabel = (text: string) => ({ '': 'empty', true: 'yes', false: 'no' })[text] ?? text;

type Choices = (readonly [option: string, text: string])[];

const poolChoices = (pools: readonly PoolReport[], chosen: string): Choices =>
  poolOptions(pools, chosen).map(({ value, label }) => [value, label]);

/** Built-in sets, the user's own sets, and the chosen one even if it is not stored here. */
function pairChoices(own: readonly PairSetReport[], chosen: string): Choices {
  const known: Choices = [
    ...PAIR_SETS.map(({ id, label }) => [id, `${id}: ${label}`] as const),
    ...own.map(({ id, name, pairs }) => [id, `${name} (${pairs} pairs of your own)`] as const),
  ];
  if (known.some(([option]) => option === chosen)) return known;
  // A link to a run of the study may choose a set that is offered only there.
  const ofStudy = builtInPairSet(chosen);
  return [...known, [chosen, ofStudy ? `${chosen}: ${ofStudy.label}` : `${chosen.slice(0, 18)}… (not kept here)`]];
}

/** A problem file is named by the first six digits of its hash. */
const environmentText = (environment: string): string =>
  environment.replace(/^leetcode:([0-9a-f]{6})[0-9a-f]{58}$/, 'LeetCode $1');

function optionsOf({ name, kind }: FieldInfo, value: string): Choices | null {
  if (kind.type === 'boolean')
    return [
      ['false', 'no'],
      ['true', 'yes'],
    ];
  if (kind.type === 'choice') return plainOptions(kind.options);
  if (name !== 'environment') return null;
  return [...new Set([...ENVIRONMENTS, value])].map((option) => [option, environmentText(option)]);
}
