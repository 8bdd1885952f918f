// A bounded number: what is typed counts as soon as it is one within its bounds, and is put right when the field is left.
import { useEffect, useId, useState } from 'react';

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
  const number = text.trim() === '' ? Number.NaN : Number(text);
  const fits = number >= min && number <= max && (step !== 1 || Number.isInteger(number));

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
        aria-invalid={fits ? undefined : true}
        aria-describedby={`${id}-help`}
        onChange={(event) => {
          setText(event.target.value);
          const next = Number(event.target.value);
          if (event.target.value.trim() !== '' && next >= min && next <= max && (step !== 1 || Number.isInteger(next)))
            onChange(next);
        }}
        onBlur={() => setText(String(value))}
      />
      <p className={fits ? 'help' : 'error'} id={`${id}-help`}>
        {fits ? help : `“${text}” is not a ${step === 1 ? 'whole ' : ''}number from ${min} to ${max}.`}
      </p>
    </div>
  );
}
