// `run --settings`: every option of a run with its meaning, unit and bounds, as in the page's form. `run --measures`: every number that is
// logged. With --markdown, in the form of docs/reference/options.md and docs/reference/measures.md.

import { wordsOf } from '../../environments/metric-info.ts';
import { describeFields, FIELDS, type FieldInfo } from '../../experiments/config/settings.ts';
import { ENVIRONMENTS } from '../../experiments/environments/registry.ts';
import { markdownTable } from '../../experiments/judge/table.ts';
import { MEASURES } from '../../experiments/records/measures.ts';
import { type GlossaryEntry, HEADINGS } from '../../lib/option.ts';

export const settingsText = (): string =>
  describeFields()
    .map((info) => `${info.name.padEnd(20)}${meaning(info)}  [${bounds(info)}]`)
    .join('\n');

const meaning = ({ help, helpMore, unit }: FieldInfo): string =>
  [help, helpMore, unit && `(${unit})`].filter((part) => part !== '').join(' ');

function bounds({ kind }: FieldInfo): string {
  if (kind.type === 'integer' || kind.type === 'number') return `${kind.min} … ${kind.max}`;
  return kind.type === 'choice' || kind.type === 'choices' ? kind.options.join(', ') : kind.type;
}

/** Escapes tags in a text outside of code, since Markdown pages are made from it. */
const withoutTags = (markdown: string): string =>
  markdown.replace(/`[^`]*`|<(?=[a-z/])/g, (found) => (found === '<' ? '&lt;' : found));

/** One table for each heading of the form. */
export function settingsMarkdown(): string {
  const tables = HEADINGS.map((heading) => {
    const rows = describeFields().flatMap((info) => (info.heading === heading ? [row(info)] : []));
    return [`## ${heading}`, '', ...markdownTable({ head: ['Option', 'Default', 'Values', 'Role', 'Meaning'], rows })];
  });
  const lines = [
    '# Options of a run',
    '',
    'Made by `npm run -s lab -- run --settings --markdown > docs/reference/options.md` from the options’ own entries (`src/experiments/config/options/`, and the environment’s own). A preset or an environment may have another default.',
    '',
    '**Role** says what an option is in a comparison. What is compared shares *training* and *intervention*, but for what its arm fixes; *projection* is what the arms differ in; *logging* changes no result.',
    ...tables.flatMap((table) => ['', ...table]),
  ];
  return withoutTags(lines.join('\n'));
}

function row(info: FieldInfo): string[] {
  const { default: value, role } = FIELDS[info.name];
  return [`\`${info.name}\``, valueText(value), bounds(info), role, `${info.label}. ${meaning(info)}`];
}

const valueText = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') || 'all' : value === '' ? 'empty' : String(value);

interface LoggedMeasure {
  name: string;
  unit: string;
  better: string;
  words: GlossaryEntry;
}

/** Numbers that every step logs, and those that each environment measures on rollouts. */
const loggedMeasures = (): { title: string; entries: LoggedMeasure[] }[] => [
  {
    title: 'Every step',
    entries: Object.entries(MEASURES).map(([name, info]) => ({
      name,
      unit: info.unit,
      better: info.better,
      words: info,
    })),
  },
  ...ENVIRONMENTS.map(({ id, metrics }) => ({
    title: id,
    entries: metrics.map((info) => ({ name: info.id, unit: info.unit, better: info.better, words: wordsOf(info) })),
  })),
];

export const measuresText = (): string =>
  loggedMeasures()
    .flatMap(({ title, entries }) => [
      `${title}:`,
      ...entries.map(({ name, unit, words }) => `  ${name.padEnd(24)}${words.meaning}  [${unit}; ${words.range}]`),
    ])
    .join('\n');

export function measuresMarkdown(): string {
  const tables = loggedMeasures().map(({ title, entries }) => [
    `## ${title}`,
    '',
    ...markdownTable({
      head: ['Measure', 'Unit', 'Better', 'Meaning', 'Does not show'],
      rows: entries.map(({ name, unit, better, words }) => {
        return [`\`${name}\``, unit, better, `${words.meaning} ${words.formula}`, words.notShown];
      }),
    }),
  ]);
  const lines = [
    '# What is logged',
    '',
    'Made by `npm run -s lab -- run --measures --markdown > docs/reference/measures.md` from the measures’ own entries (`src/experiments/records/measures.ts`, `presentation.ts` of an environment). Names are those of records and of the CSV file’s columns; an environment’s measures have a column for the student’s rollouts and one for the teacher’s.',
    ...tables.flatMap((table) => ['', ...table]),
  ];
  return withoutTags(lines.join('\n'));
}
