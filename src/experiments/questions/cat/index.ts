// The questions of learning without labels, in order.
import type { SeriesQuestion } from '../../judge/types.ts';
import { INFERENCE } from './inference.ts';
import { JUDGED } from './judged.ts';
import { PROJECTED } from './projected.ts';
import { TRAINING } from './training.ts';
import { VARIANTS } from './variants.ts';

const number = ({ id }: SeriesQuestion): number => Number.parseInt(id.slice(1), 10);

export const CAT_QUESTIONS: readonly SeriesQuestion[] = [
  ...INFERENCE,
  ...TRAINING,
  ...JUDGED,
  ...PROJECTED,
  ...VARIANTS,
].sort((a, b) => number(a) - number(b) || (a.id < b.id ? -1 : 1));
