// Number inputs drawn from their table (store/form/number-fields.ts).
import type { NumberField } from '../../store/form/number-fields.ts';
import { NumberInput } from './NumberInput.tsx';

interface NumberFieldsProps<Name extends string> {
  fields: readonly NumberField<Name>[];
  values: Readonly<Record<Name, number>>;
  onChange: (change: Partial<Record<Name, number>>) => void;
}

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
