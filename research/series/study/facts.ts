// Conditions of the study's rules by the id of their verdict; a registration is checked against them (judge/age.ts).

import { factsOf } from '../../judge/age.ts';
import { ruleOf } from './answer.ts';
import { H1 } from './h1.ts';
import { QUESTIONS } from './questions/index.ts';
import type { AskedOfTable } from './types.ts';

const asked = ({ clauses, falsifier, given }: AskedOfTable): unknown => ({
  rule: factsOf(ruleOf(clauses, falsifier)),
  given: given ?? null,
});

/** H1 has bars instead of clauses. */
export const studyFacts = (): Map<string, unknown> =>
  new Map([
    ['H1', H1],
    ...QUESTIONS.flatMap((question): [string, unknown][] => [
      [question.id, asked(question)],
      ...(question.addition ? [[`${question.id}-added`, asked(question.addition)] as [string, unknown]] : []),
    ]),
  ]);
