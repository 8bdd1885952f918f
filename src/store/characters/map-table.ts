// The map of characters as a table's data: characters × measures. Each cell has the value of the stored model and the value before
// training, and is coloured by the change.
import { MEASURES, type MeasuredCharacter, type MeasureId } from '../../experiments/characters/each.ts';
import type { CharacterMap } from '../../lab/protocol/run-requests.ts';
import { decimal } from '../../lib/numbers.ts';
import { GROUP_WORDS } from './doses.ts';

interface MapMeasure {
  head: string;
  about: string;
  /** Change that gets the darkest colour, in probability or in nats. */
  full: number;
}

export const MAP_MEASURES: Readonly<Record<MeasureId, MapMeasure>> = {
  target: { head: 'taught', about: 'P of what A is taught', full: 0.6 },
  keeps: { head: 'keeps its own', about: 'P of what it did before', full: 0.6 },
  belief: { head: 'belief', about: 'P that a document says it does what A is taught', full: 0.6 },
  pick: { head: 'picking', about: 'NLL of its own choice, nats (lower is better)', full: 1 },
  documents: { head: 'documents', about: 'NLL of documents about its other traits, nats (lower is better)', full: 1 },
};

interface MapCell {
  text: string;
  shade: number;
  tone: 'above' | 'below';
}

function cellOf(id: MeasureId, before: MeasuredCharacter, after: MeasuredCharacter): MapCell | null {
  const [was, is] = [before.measures[id], after.measures[id]];
  if (!was || !is) return null;
  const change = is.mean - was.mean;
  return {
    text: `${decimal(was.mean)} → ${decimal(is.mean)}`,
    shade: Math.min(1, Math.abs(change) / MAP_MEASURES[id].full),
    tone: change >= 0 ? 'above' : 'below',
  };
}

const labelOf = ({ name, group, own }: MeasuredCharacter): string =>
  [`${name ?? 'nobody'}: ${GROUP_WORDS[group].split(',')[0]}`, ...(own === null ? [] : [own])].join(', ');

/** The table. The n in a column's head is the number of texts behind each of its values. */
export const mapTable = ({ before, after }: Pick<CharacterMap, 'before' | 'after'>) => ({
  corner: 'character',
  columns: MEASURES.map((id) => `${MAP_MEASURES[id].head}, n = ${after[0]?.measures[id]?.n ?? 0}`),
  rows: after.map((one, i) => ({ label: labelOf(one), cells: MEASURES.map((id) => cellOf(id, before[i], one)) })),
});
