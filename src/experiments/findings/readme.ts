// README's summary of the worlds' questions, between its markers: written by `npm run lab -- findings` from the published sheets, what
// fails before what holds. Sentences are the questions' own (`says`), so none says more than its rule's word.
import type { Markers } from '../../lib/markers.ts';
import { SERIES, type SeriesId } from './series.ts';
import type { SeriesSheet, ShownQuestion } from './sheet.ts';
import { STANDINGS, type Standing } from './types.ts';

export const FINDINGS_MARKERS: Markers = { start: '<!-- findings -->', end: '<!-- end findings -->' };

/** Told in a sentence each; of the others the ids alone, since there is little to be told of what is open. */
const TOLD: readonly Standing[] = ['fails', 'holds'];

export function findingsSummary(sheets: ReadonlyMap<SeriesId, SeriesSheet>): string[] {
  return SERIES.flatMap(({ id, label, docs }) => {
    const questions = sheets.get(id)?.questions ?? [];
    const of = (standing: Standing) => questions.filter((question) => question.standing === standing);
    const told = TOLD.flatMap((standing) => of(standing).map((question) => `  - *${standing}*: ${sentence(question)}`));
    const others = STANDINGS.filter((standing) => !TOLD.includes(standing) && of(standing).length > 0);
    const named = others.map(
      (standing) =>
        `*${standing}*: ${of(standing)
          .map((one) => one.id)
          .join(', ')}`,
    );
    return [
      `- **${label}** ([${docs}](${docs}), ${questions.length} questions)`,
      ...told,
      ...(named.length > 0 ? [`  - ${named.join('; ')}`] : []),
    ];
  });
}

const sentence = ({ id, said, n, unit }: ShownQuestion): string =>
  `${said.replace(/\.$/, '')} (${id}, n = ${n} ${unit}).`;
