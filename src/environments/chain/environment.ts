// A puzzle's dynamics. What comes of an answer is the task sampler's.
import { oneTurn } from '../one-turn.ts';
import type { ChainTask } from './types.ts';

export const chainDynamics = oneTurn<ChainTask>('chain');
