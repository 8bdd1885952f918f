// The questions of learning without labels, in order.
import type { Question } from '../../judge/question.ts';
import { ADAPTER } from './adapters.ts';
import { ON_BASES } from './bases.ts';
import { CHOOSING } from './choosing.ts';
import { INFERENCE } from './inference.ts';
import { JUDGED } from './judged.ts';
import { LASTING } from './lasting.ts';
import { PASSING } from './passing.ts';
import { PROJECTED } from './projected.ts';
import { TRAINING } from './training.ts';
import { VARIANTS } from './variants.ts';

const number = ({ id }: Question): number => Number.parseInt(id.slice(1), 10);

export const CAT_QUESTIONS: readonly Question[] = [
  ...INFERENCE,
  ...TRAINING,
  ...JUDGED,
  ...PROJECTED,
  ...VARIANTS,
  ...ADAPTER,
  ...ON_BASES,
  ...PASSING,
  ...LASTING,
  ...CHOOSING,
].sort((a, b) => number(a) - number(b) || (a.id < b.id ? -1 : 1));
