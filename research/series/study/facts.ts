// Conditions of the study's rules by the id of their verdict; a registration is checked against them (judge/age.ts).

import { factsOf } from '../../judge/age.ts';
import { ruleOf } from './answer.ts';
import { H1 } from './h1.ts';
import { QUESTIONS } from './questions/index.ts';
import type { TableQuestion } from './types.ts';

const ruleFacts = ({ clauses, falsifier, given }: TableQuestion): unknown => ({
  rule: factsOf(ruleOf(clauses, falsifier)),
  given: given ?? null,
});

/** H1 has bars instead of clauses. */
export const studyFacts = (): Map<string, unknown> =>
  new Map([
    ['H1', H1],
    ...QUESTIONS.flatMap((question): [string, unknown][] => [
      [question.id, ruleFacts(question)],
      ...(question.addition ? [[`${question.id}-added`, ruleFacts(question.addition)] as [string, unknown]] : []),
    ]),
  ]);
