// Scenario files of agent environments: read, and where they are one, played by the oracle and judged with an agent that does nothing
// and one that calls tools at random. A file gives a named error or a run that ends.
import { playScripted } from '@projected-grpo-lab/are/agents/play.ts';
import { IMPORTABLE_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import { traceText } from '@projected-grpo-lab/are/scenario/export.ts';
import { parseTrace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { sampleTrace } from '@projected-grpo-lab/are/testing/sample.ts';
import type { Reader } from '../judge.ts';
import { bytesOf, mutateJson, mutateText, textOf } from '../mutate.ts';

const good = bytesOf(traceText(sampleTrace()));

const WORDS = [
  ...['AGENT', 'ENV', 'USER', 'CONDITION', 'VALIDATION', 'STOP', 'OracleEvent', 'u1', 'o1', 'o2', 'e1', 'o3', 'o4'],
  ...[
    '{{o1}}',
    '{{e1.x.y}}',
    '{{}}',
    'send_message_to_user',
    'send_email',
    'reply_to_email',
    'constructor',
    '__proto__',
  ],
  ...['Emails', 'Calendar', 'Files', 'Chats', 'SystemApp', 'CabApp', 'int', 'float', 'list', 'bool', 'str | None'],
  ...['2024-10-18 15:00:00', '[1,', '{"a":', 'null', '-1', '1e308', '86400', '0', '1', 'LESS_THAN', '[]', '{}'],
  'wrapped_condition__turn_idx_1__scenario_id_sample',
];

export const SCENARIO_READERS: readonly Reader[] = [
  {
    name: 'scenario',
    what: 'a scenario or trace that is dropped on the page or named on the command line',
    good,
    make: (random) =>
      bytesOf(random.oneIn(6) ? mutateText(textOf(good), WORDS, random) : mutateJson(textOf(good), random, WORDS)),
    async read(input) {
      const trace = parseTrace(textOf(input));
      // Whatever the file says, so many simulated seconds: the judge of readings counts processor time.
      const options = { classes: IMPORTABLE_CLASSES, duration: 300 };
      await playScripted(trace, 'silent', options);
      await playScripted(trace, 'random', options);
    },
  },
];
