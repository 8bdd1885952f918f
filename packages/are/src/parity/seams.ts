// What takes the place of ids and random numbers in recorded runs: ids are counted, draws are the middle (or the low end, of an int).
import type { Draws } from '../types.ts';

export function countedDraws(): () => Draws {
  let count = 0;
  const draws: Draws = {
    id: () => `id${String(++count).padStart(4, '0')}`,
    random: () => 0.5,
    uniform: (from, to) => (from + to) / 2,
    randint: (from) => from,
  };
  return () => draws;
}
