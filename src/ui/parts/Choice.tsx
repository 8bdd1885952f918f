// One of a few named values, as a list: in a bar of filters with its label above it, or as a field of a form.
import { type ReactNode, useId } from 'react';

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [value: T, words: string])[];
  onChange: (value: T) => void;
  className?: string;
}

export function Choice<T extends string>({ label, value, options, onChange, className }: ChoiceProps<T>) {
  return (
    <label className={classes('choice', className)}>
      <span>{label}</span>
      <select value={value} onChange={({ target }) => onChange(target.value as T)}>
        {options.map(option)}
      </select>
    </label>
  );
}

interface ChoiceFieldProps<T extends string> extends ChoiceProps<T> {
  help?: ReactNode;
}

export function ChoiceField<T extends string>(props: ChoiceFieldProps<T>) {
  const { label, value, options, onChange, className, help } = props;
  const id = useId();
  const described = help ? `${id}-help` : undefined;
  return (
    <div className={classes('field', className)}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} aria-describedby={described} onChange={({ target }) => onChange(target.value as T)}>
        {options.map(option)}
      </select>
      {help ? (
        <p className="help" id={described}>
          {help}
        </p>
      ) : null}
    </div>
  );
}

const option = ([value, words]: readonly [string, string]) => (
  <option key={value} value={value}>
    {words}
  </option>
);

const classes = (own: string, more: string | undefined) => (more ? `${own} ${more}` : own);

/** Options from their words by value. */
export const optionsOf = <T extends string>(words: Readonly<Record<T, string>>) =>
  Object.entries(words) as [T, string][];

/** Options whose words are their values. */
export const plainOptions = <T extends string>(values: readonly T[]) => values.map((value) => [value, value] as const);
