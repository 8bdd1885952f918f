// A form field for an option: its label, then a list if its values are named, otherwise a text that is parsed while it is typed. Its help
// or error is below.
import { useId } from 'react';
import type { FieldInfo } from '../../experiments/config/settings.ts';

interface OptionFieldProps {
  info: FieldInfo;
  value: string;
  set: (text: string) => void;
  error: string | undefined;
  help?: string;
}

export function OptionField({ info, value, set, error, help }: OptionFieldProps) {
  const { kind, label, unit } = info;
  const id = useId();
  const text = error ?? help;
  const described = text ? `${id}-help` : undefined;
  const common = { id, 'aria-describedby': described, 'aria-invalid': error ? true : undefined };
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {unit ? <span className="unit"> {unit}</span> : null}
      </label>
      {kind.type === 'choice' ? (
        <select {...common} value={value} onChange={(event) => set(event.target.value)}>
          {kind.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          type="text"
          inputMode={kind.type === 'integer' ? 'numeric' : 'decimal'}
          autoComplete="off"
          value={value}
          onChange={(event) => set(event.target.value)}
        />
      )}
      {text ? (
        <p className={error ? 'error' : 'help'} id={described} role={error ? 'alert' : undefined}>
          {text}
        </p>
      ) : null}
    </div>
  );
}
