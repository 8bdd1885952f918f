// How the standing of an environment's question is written: the titles of its groups, the counts above them, the tag on its card.
import type { ShownQuestion } from '../../../experiments/questions/sheet.ts';
import type { Status } from '../../../experiments/questions/types.ts';

export const GROUPS: readonly { standing: Status; title: string; tone: string }[] = [
  { standing: 'holds', title: 'Hold', tone: 'good' },
  { standing: 'in part', title: 'Hold in part', tone: 'warn' },
  { standing: 'fails', title: 'Fail', tone: 'bad' },
  { standing: 'open', title: 'Open', tone: 'warn' },
  { standing: 'not run', title: 'Not run', tone: '' },
];

export function StandingTag({ question: { standing, n } }: { question: Pick<ShownQuestion, 'standing' | 'n'> }) {
  const tone = GROUPS.find((group) => group.standing === standing)?.tone;
  return (
    <span className={`tag ${tone}`}>
      {standing}
      {n > 0 ? `, n = ${n}` : ''}
    </span>
  );
}
