// One setting: its words and bounds come from the spec's own table; what is wrong with it stands under it.
import { useId } from 'react';
import type { FieldInfo } from '../../experiments/spec.ts';
import { presetText } from '../../store/form.ts';
import { useLab, useLabActions } from '../lab-context.ts';

export function Field({ info }: { info: FieldInfo }) {
  const { name, label, unit, help, kind } = info;
  const lab = useLabActions();
  const value = useLab((state) => state.draft.fields[name]);
  const error = useLab((state) => state.check.fields[name]);
  const usual = useLab((state) => presetText(state.draft.preset, name));
  const id = useId();
  const changed = value.trim() !== usual;
  const set = (text: string) => lab.setField(name, text);
  const common = {
    id,
    'aria-describedby': `${id}-help`,
    'aria-invalid': error ? true : undefined,
  };

  return (
    <div className={changed ? 'field changed' : 'field'}>
      <label htmlFor={id}>
        {label}
        {unit ? <span className="unit"> {unit}</span> : null}
      </label>
      {kind.type === 'boolean' ? (
        <select {...common} value={value} onChange={(event) => set(event.target.value)}>
          <option value="false">no</option>
          <option value="true">yes</option>
        </select>
      ) : kind.type === 'choice' ? (
        <select {...common} value={value} onChange={(event) => set(event.target.value)}>
          {kind.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          type="text"
          inputMode={kind.type === 'integer' ? 'numeric' : kind.type === 'number' ? 'decimal' : undefined}
          value={value}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => set(event.target.value)}
        />
      )}
      <p className={error ? 'error' : 'help'} id={`${id}-help`} role={error ? 'alert' : undefined}>
        {error ?? help}
        {!error && changed ? <span className="was"> Preset: {usual === '' ? 'empty' : usual}.</span> : null}
      </p>
    </div>
  );
}
