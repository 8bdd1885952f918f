// Inputs that choose one of a few named values: a list in a bar of filters or in a form, or buttons that show all values.
import { type ReactNode, useId } from 'react';

type Option<T> = readonly [value: T, words: string];

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly Option<T>[];
  onChange: (value: T) => void;
  className?: string;
}

export function Choice<T extends string>({ label, value, options, onChange, className }: ChoiceProps<T>) {
  return (
    <label className={classes('choice', className)}>
      <span>{label}</span>
      <select value={value} onChange={({ target }) => onChange(target.value as T)}>
        <Options of={options} />
      </select>
    </label>
  );
}

/** Returns a function that draws the `Choice` for the value of a given name. */
export function choicesOf<V>(values: V, set: (change: Partial<V>) => void) {
  return <K extends keyof V>(name: K, label: string, options: readonly Option<V[K] & string>[]) => (
    <Choice
      label={label}
      value={values[name] as V[K] & string}
      options={options}
      onChange={(value) => set({ [name]: value } as Partial<V>)}
    />
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
        <Options of={options} />
      </select>
      {help ? (
        <p className="help" id={described}>
          {help}
        </p>
      ) : null}
    </div>
  );
}

interface ShownChoiceProps<T> {
  legend: string;
  options: readonly Option<T>[];
  value: T;
  onChange: (value: T) => void;
  disabled?: boolean;
  className?: string;
}

/** Separate chips side by side. Their legend is only for screen readers. */
export function Chips<T>({ legend, options, value, onChange, disabled, className }: ShownChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className={classes('chips', className)} disabled={disabled}>
      <legend className="sr">{legend}</legend>
      {options.map(([one, words]) => (
        <label key={words} className="chip">
          <input type="radio" name={name} checked={value === one} onChange={() => onChange(one)} />
          {words}
        </label>
      ))}
    </fieldset>
  );
}

/** One bar with a segment for each value. */
export function Segmented<T>({ legend, options, value, onChange, disabled, className }: ShownChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset className={classes('segmented', className)}>
      <legend>{legend}</legend>
      {options.map(([one, words]) => (
        <label key={words}>
          <input type="radio" name={name} checked={value === one} disabled={disabled} onChange={() => onChange(one)} />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Options for a `<select>` that does not use `Choice`. */
export const Options = ({ of }: { of: readonly Option<string>[] }) =>
  of.map(([value, words]) => (
    <option key={value} value={value}>
      {words}
    </option>
  ));

const classes = (own: string, more: string | undefined) => (more ? `${own} ${more}` : own);

/** Options from a record of words by value. */
export const optionsOf = <T extends string>(words: Readonly<Record<T, string>>) =>
  Object.entries(words) as [T, string][];

/** Options whose texts are their values. */
export const plainOptions = <T extends string>(values: readonly T[]) => values.map((value) => [value, value] as const);
