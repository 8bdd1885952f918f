// An option of a form: its label, a list where its values are named, else a text that is read as it is typed; what is said of it is below.
import type { ReactNode } from 'react';
import type { FieldInfo } from '../../experiments/config/spec.ts';

interface OptionFieldProps {
  id: string;
  info: FieldInfo;
  value: string;
  set: (text: string) => void;
  error: string | undefined;
  /** The id of what describes it. */
  described: string | undefined;
  children: ReactNode;
}

export function OptionField({ id, info, value, set, error, described, children }: OptionFieldProps) {
  const { kind, label, unit } = info;
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
      {children}
    </div>
  );
}
