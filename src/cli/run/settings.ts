// `run --settings`: every option of a run with its meaning, unit and bounds, as the page's form has them; with --markdown, as
// docs/options.md has them.
import { FIELDS } from '../../experiments/spec/fields.ts';
import { describeFields, type FieldInfo, HEADINGS } from '../../experiments/spec/spec.ts';

export const settingsText = (): string =>
  describeFields()
    .map((info) => `${info.name.padEnd(20)}${meaning(info)}  [${bounds(info)}]`)
    .join('\n');

const meaning = ({ help, unit }: FieldInfo): string => (unit ? `${help} (${unit})` : help);

function bounds({ kind }: FieldInfo): string {
  if (kind.type === 'integer' || kind.type === 'number') return `${kind.min} … ${kind.max}`;
  return kind.type === 'choice' || kind.type === 'choices' ? kind.options.join(', ') : kind.type;
}

/** A table a heading of the form. */
export function settingsMarkdown(): string {
  const tables = HEADINGS.map((heading) => {
    const rows = describeFields().flatMap((info) => (info.heading === heading ? [row(info)] : []));
    return [
      `## ${heading}`,
      '',
      '| Option | Default | Values | Role | Meaning |',
      '| --- | --- | --- | --- | --- |',
      ...rows,
    ];
  });
  return [
    '# Options of a run',
    '',
    'Made by `npm run -s lab -- run --settings --markdown > docs/options.md` from the options’ own entries (`src/experiments/spec/options/`, `options.ts` of an environment). A preset or an environment may have another default.',
    '',
    '**Role** says what an option is in a comparison. What is compared shares *training* and *intervention*, but for what its arm fixes; *projection* is what the arms differ in; *logging* changes no result.',
    ...tables.flatMap((table) => ['', ...table]),
  ].join('\n');
}

function row(info: FieldInfo): string {
  const { default: usual, role } = FIELDS[info.name];
  const cells = [`\`${info.name}\``, shown(usual), bounds(info), role, `${info.label}. ${meaning(info)}`];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

const shown = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') || 'all' : value === '' ? 'empty' : String(value);
