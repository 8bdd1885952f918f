// `run --settings`: every setting of a run with its meaning, unit and bounds, as the page's form has them.
import { describeFields, type SettingName } from '../../experiments/spec/spec.ts';

export function settingsText(): string {
  const lines = describeFields().map(
    ({ name, kind, help, unit }: { name: SettingName } & ReturnType<typeof describeFields>[number]) => {
      const bounds =
        kind.type === 'integer' || kind.type === 'number'
          ? `${kind.min} … ${kind.max}`
          : kind.type === 'choice' || kind.type === 'choices'
            ? kind.options.join(', ')
            : kind.type;
      return `${name.padEnd(20)}${help}${unit ? ` (${unit})` : ''}  [${bounds}]`;
    },
  );
  return lines.join('\n');
}
