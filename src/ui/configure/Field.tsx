// One setting: its words and bounds come from the spec's own table; the preset's value is marked, a changed one can be put
// back, and what is wrong with it stands under it.
import { useId } from 'react';
import { type FieldInfo, PRESET_NAMES, PRESETS } from '../../experiments/spec.ts';
import { presetText } from '../../store/form.ts';
import { useLab, useLabActions } from '../lab-context.ts';

/** Environments that a preset names; the table itself allows any text. */
const ENVIRONMENTS = [...new Set(PRESET_NAMES.map((name) => PRESETS[name].settings.environment))];

export function Field({ info }: { info: FieldInfo }) {
  const { name, label, unit, help, kind } = info;
  const lab = useLabActions();
  const value = useLab((state) => state.draft.fields[name]);
  const error = useLab((state) => state.check.fields[name]);
  const usual = useLab((state) => presetText(state.draft.preset, name));
  const id = useId();
  const changed = value.trim() !== usual;
  const set = (text: string) => lab.setField(name, text);
  const options = optionsOf(info, value);
  const common = {
    id,
    'aria-describedby': `${id}-help`,
    'aria-invalid': error ? true : undefined,
  };

  return (
    <div className={changed ? 'field changed' : 'field'}>
      <label htmlFor={id} id={`${id}-label`}>
        {label}
        {unit ? <span className="unit"> {unit}</span> : null}
      </label>
      {options ? (
        <select {...common} value={value} onChange={(event) => set(event.target.value)}>
          {options.map(({ option, text }) => (
            <option key={option} value={option}>
              {text}
              {changed && option === usual ? ' (preset)' : ''}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          type="text"
          inputMode={kind.type === 'integer' ? 'numeric' : kind.type === 'number' ? 'decimal' : undefined}
          value={value}
          placeholder={usual}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => set(event.target.value)}
        />
      )}
      <div className="under">
        <p className={error ? 'error' : 'help'} id={`${id}-help`} role={error ? 'alert' : undefined}>
          {error ?? help}{' '}
          {!error || changed ? <span className="was">Preset: {usual === '' ? 'empty' : usual}.</span> : null}
        </p>
        {changed ? (
          <button type="button" className="reset" aria-describedby={`${id}-label`} onClick={() => set(usual)}>
            Reset
          </button>
        ) : null}
      </div>
    </div>
  );
}

function optionsOf({ name, kind }: FieldInfo, value: string): { option: string; text: string }[] | null {
  const plain = (options: readonly string[]) => options.map((option) => ({ option, text: option }));
  if (kind.type === 'boolean') {
    return [
      { option: 'false', text: 'no' },
      { option: 'true', text: 'yes' },
    ];
  }
  if (kind.type === 'choice') return plain(kind.options);
  return name === 'environment' ? plain([...new Set([...ENVIRONMENTS, value])]) : null;
}
