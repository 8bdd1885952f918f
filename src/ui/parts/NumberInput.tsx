// Input for a bounded number. Typed text takes effect when it is a number within the bounds; leaving the field restores the last such
// number.
import { useEffect, useId, useState } from 'react';
import { acceptsNumber, type NumberField } from '../../store/form/number-fields.ts';

interface NumberInputProps {
  label: string;
  unit?: string;
  help?: string;
  value: number;
  min: number;
  max: number;
  step: number;
  onChange: (value: number) => void;
}

export function NumberInput({ label, unit, help, value, min, max, step, onChange }: NumberInputProps) {
  const [text, setText] = useState(String(value));
  const id = useId();
  const isAccepted = (typed: string) =>
    acceptsNumber({ min, max, step }, typed.trim() === '' ? Number.NaN : Number(typed));
  const isRight = isAccepted(text);

  useEffect(() => setText(String(value)), [value]);

  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {unit ? <span className="unit"> {unit}</span> : null}
      </label>
      <input
        id={id}
        type="number"
        value={text}
        min={min}
        max={max}
        step={step}
        aria-invalid={isRight ? undefined : true}
        aria-describedby={`${id}-help`}
        onChange={({ target }) => {
          setText(target.value);
          if (isAccepted(target.value)) onChange(Number(target.value));
        }}
        onBlur={() => setText(String(value))}
      />
      <p className={isRight ? 'help' : 'error'} id={`${id}-help`}>
        {isRight ? help : `“${text}” is not a ${step === 1 ? 'whole ' : ''}number from ${min} to ${max}.`}
      </p>
    </div>
  );
}

interface NumberFieldsProps<Name extends string> {
  fields: readonly NumberField<Name>[];
  values: Readonly<Record<Name, number>>;
  onChange: (change: Partial<Record<Name, number>>) => void;
}

/** Inputs drawn from their table (store/form/number-fields.ts). */
export function NumberFields<Name extends string>({ fields, values, onChange }: NumberFieldsProps<Name>) {
  return fields.map(({ name, ...field }) => (
    <NumberInput
      key={name}
      {...field}
      value={values[name]}
      onChange={(value) => onChange({ [name]: value } as Partial<Record<Name, number>>)}
    />
  ));
}
