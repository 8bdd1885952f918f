// `are learnt FILE…`: what trained agents' runs say of the questions in docs/lab-book/agents.md, from their published records alone.

import { toggle } from '../../src/cli/args.ts';
import { command, EXIT } from '../../src/cli/command.ts';
import { readRuns } from '../../src/cli/files/runs.node.ts';
import { answerText } from '../judge/answer-text.ts';
import { answer } from '../judge/question.ts';
import { AGENT_QUESTIONS } from '../series/agents/index.ts';

const usage = {
  name: 'are learnt',
  summary: 'Prints what runs of the environment agents say of G1 and A1, from their records alone.',
  positional: ['FILE', '[FILE2]'],
  flags: { json: toggle('Print JSON.') },
  notes: 'A file is what `run --json` writes, or one of public/results/agents; .gz is read too.',
} as const;

export const areLearnt = command(usage, async ({ flags, positional }, { out }) => {
  const runs = (await Promise.all(positional.map(readRuns))).flat();
  const answers = AGENT_QUESTIONS.flatMap((question) => {
    const said = answer(question, runs);
    return said ? [{ id: question.id, ...said }] : [];
  });
  if (flags.json) out(JSON.stringify(answers, null, 2));
  else for (const question of AGENT_QUESTIONS) for (const line of answerText(question, runs)) out(line);
  return EXIT.ok;
});
