// Double names, so that one which was never seen is made of two that were. A fifth of them is kept from pretraining and training.
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';

const FIRST = 'Ann Bea Gus Ida Kai Leo Max Tom'.split(' ');
const SECOND = 'Ben Eve Fay Jo Lee Lou Mae Ray'.split(' ');

const UNSEEN_ONE_IN = 5;

export const NAMES: readonly string[] = FIRST.flatMap((first) => SECOND.map((second) => `${first}-${second}`));
const shuffled = new CounterRng(keyFor(0, STREAMS.problems, 5)).shuffle([...NAMES]);
export const UNSEEN_NAMES: readonly string[] = shuffled.slice(0, Math.floor(NAMES.length / UNSEEN_ONE_IN));
export const KNOWN_NAMES: readonly string[] = shuffled.slice(UNSEEN_NAMES.length);

const unseen = new Set(UNSEEN_NAMES);
export const isUnseenName = (name: string): boolean => unseen.has(name);
