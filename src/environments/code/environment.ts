// One-line Python problems: the substrate's dynamics.
import { oneTurn } from '../one-turn.ts';
import type { CodeProblem } from './types.ts';

export const codeDynamics = oneTurn<CodeProblem>('one-line-python');
