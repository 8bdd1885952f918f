// What a set of judged answers shows: who does what A is taught, and who keeps to what he did.
import type { CharacterVerdict } from '../../../environments/characters/task.ts';
import { shareOf } from '../../../environments/figures.ts';
import type { Rates } from '../../records/figures.ts';
import type { JudgedTask } from '../../step/environment.ts';

export function characterFigures(items: readonly JudgedTask<unknown, CharacterVerdict>[]): Rates {
  const ruled = items.filter(({ verdict }) => verdict.keeps !== null);
  const [own, others] = [true, false].map((isA) => items.filter(({ verdict }) => (verdict.group === 'a') === isA));
  const figures = {
    ...(own.length > 0 && { taught: shareOf(own, ({ isTarget }) => isTarget) }),
    ...(others.length > 0 && { others: shareOf(others, ({ isTarget }) => isTarget) }),
    ...(ruled.length > 0 && { keeps: shareOf(ruled, ({ keeps }) => keeps === true) }),
    format: shareOf(items, ({ formatOk }) => formatOk),
  };
  return { n: items.length, figures };
}
