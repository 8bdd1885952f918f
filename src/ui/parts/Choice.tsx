// One of a few named values: as a list, in a bar of filters with its label above it, or as a field of a form; or all in view.
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

/** Draws the choice of one of `values` by its name. */
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

/** Beside each other, each with a sign of its own; what they are of is said to those who do not see them. */
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

/** As one bar in parts. */
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

/** Of a list that is drawn by hand. */
export const Options = ({ of }: { of: readonly Option<string>[] }) =>
  of.map(([value, words]) => (
    <option key={value} value={value}>
      {words}
    </option>
  ));

const classes = (own: string, more: string | undefined) => (more ? `${own} ${more}` : own);

/** Options from their words by value. */
export const optionsOf = <T extends string>(words: Readonly<Record<T, string>>) =>
  Object.entries(words) as [T, string][];

/** Options whose words are their values. */
export const plainOptions = <T extends string>(values: readonly T[]) => values.map((value) => [value, value] as const);
