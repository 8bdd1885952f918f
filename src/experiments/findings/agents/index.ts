// The questions of agents.
import { notRun } from '../not-run.ts';
import type { WorldQuestion } from '../types.ts';

export const AGENTS_QUESTIONS: readonly WorldQuestion[] = [
  notRun('A1', 'Does routing remove judge hacking in agents, and keep the skill?', 'A small agent'),
];
