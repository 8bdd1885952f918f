// Questions of the `agents` series, in the docs' order.

import type { RunRecord } from '../../../src/experiments/records/events.ts';
import type { Question } from '../../judge/question.ts';
import { G2 } from './forms.ts';
import { G1 } from './gain.ts';
import { A1, A1_ERASE } from './removal.ts';
import { L1 } from './tools.ts';

export const AGENTS_QUESTIONS: readonly Question[] = [G1, A1, A1_ERASE, G2, L1];

/** Questions about run records, published or not. */
export const AGENT_RUN_QUESTIONS: readonly Question<readonly RunRecord[]>[] = [G1, A1, A1_ERASE];
