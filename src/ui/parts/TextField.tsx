// A form field for a line of text, with its help or error below.
import { type ComponentProps, useId } from 'react';

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  label: string;
  value: string;
  onChange: (text: string) => void;
  help?: string;
  error?: string | null;
}

export function TextField({ label, onChange, help, error = null, ...input }: TextFieldProps) {
  const id = useId();
  const text = error ?? help;
  const described = text ? `${id}-help` : undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        autoComplete="off"
        aria-invalid={error ? true : undefined}
        aria-describedby={described}
        onChange={({ target }) => onChange(target.value)}
        {...input}
      />
      {text ? (
        <p className={error ? 'error' : 'help'} id={described}>
          {text}
        </p>
      ) : null}
    </div>
  );
}
