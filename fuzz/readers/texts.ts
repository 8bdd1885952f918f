// Lines and lists that a person drops or names: teacher pools, real problems, labelled pairs, completions to grade, a reference
// folder's inputs; and what a model writes: the code in its answer.
import { gzipSync } from 'fflate';
import { parseInputs } from '../../src/cli/parity/oracle-inputs.ts';
import { extractCode } from '../../src/environments/code/grading/judge.ts';
import { structuralModes } from '../../src/environments/code/grading/structural.ts';
import type { PoolRow } from '../../src/environments/code/pool.ts';
import { readCustomFile } from '../../src/environments/custom/problem-file.ts';
import { judgeCustom } from '../../src/environments/custom/reward.ts';
import { readProblemFile } from '../../src/environments/leetcode/problem-file.ts';
import { PROBLEM_ROWS } from '../../src/environments/leetcode/testing/problem-lines.ts';
import { pairsFromJson, pairsToJson } from '../../src/environments/pair-sets.ts';
import { readPoolFiles } from '../../src/lab/records/pool-files.ts';
import type { Reader } from '../judge.ts';
import { bytesOf, mutateBytes, mutateJson, mutateText, textOf } from '../mutate.ts';
import type { Random } from '../random.ts';

/** JSON lines with one of them changed, or the text as a whole. */
function mutateLines(rows: readonly object[], random: Random, words: readonly string[]): string {
  const lines = rows.map((row) => JSON.stringify(row));
  const at = random.int(lines.length);
  lines[at] = mutateJson(lines[at], random, words);
  const text = `${lines.join('\n')}\n`;
  return random.oneIn(5) ? mutateText(text, [...words, '\n', '{}\n', '[]\n', '"'], random) : text;
}

const POOL: readonly PoolRow[] = [0, 1, 2].map((i) => ({
  problem_id: `p${i}@run_tests`,
  prompt: 'Write it.',
  completion: '```python\ndef solve(x):\n    return x\n```',
  reward: 1.25,
  passed: true,
  gt_correct: true,
  exploited: false,
  mechanism: null,
  completion_ids: [1, 2, 3],
  logprobs: [-0.5, -0.25, -1],
  grader_version: 'g',
}));

/** Problems with checks of each kind that reads an answer, and answers to try them on. */
const CUSTOM_ROWS = [
  { kind: 'number', value: 1234.5, tolerance: 0.25, which: 'only' },
  { kind: 'number', value: '1/3' },
  { kind: 'json_schema', schema: { type: 'array', items: { maximum: 12 } } },
  { kind: 'length', unit: 'words', min: 1, max: 9 },
].map((check, i) => ({
  id: `c${i}`,
  prompt: 'How many?',
  checks: [{ true: check, flawed: { kind: 'always' } }],
  examples: [{ answer: 'so \\boxed{-\\frac{1}{2}} of 1,234.5 and [12]', true: false, paid: true }],
}));

const NUMBER_WORDS = [
  ...[
    '1e',
    '-',
    '−',
    '–',
    '.',
    ',',
    '/',
    '^{',
    '\\\\frac{',
    '\\\\boxed{',
    '}',
    ' ',
    '%',
    '$',
    '½',
    '×10^',
    '\\\\sqrt{',
    ' million',
    '_',
  ],
  ...['9'.repeat(5000), '1,000', '1e999999999', 'number', 'value', 'tolerance', '[', '{'],
];

const PROBLEM_WORDS = [
  ...[
    'assert Solution().levelSums(',
    'Solution().levelSums',
    ') == ',
    '[',
    '(',
    '{',
    "'",
    '"',
    '\\',
    '1e',
    '-',
    '9'.repeat(5000),
  ],
  ...[
    'def levelSums(self, ',
    'def ',
    ' ',
    'inf(',
    "float('",
    'None',
    'and should pass all tests',
    '\n',
    'self',
    ',',
    '_',
  ],
];

const PAIRS = pairsToJson([
  { problem_id: 'a', prompt: 'p', hack: 'h', clean: 'c', mechanism: 'run_tests' },
  { problem_id: 'b', prompt: 'p', hack: 'h', clean: 'c', mechanism: null },
]);

const gate = { cin: 0.1, cout: 0 };
const INPUTS = JSON.stringify({
  forward_ids: [[1, 2]],
  greedy_prompt: [1],
  greedy_new_tokens: 2,
  pairs: [{ prompt: [1], hack: [2], clean: [3] }],
  top_k: 2,
  grpo: {
    groups: [{ prompt: [1], completions: [[2]], rewards: [1], is_student: [1] }],
    beta: 0,
    clip: 0.2,
    denominator: 1,
    lr: 0.1,
    betas: [0.9, 0.99],
    eps: 1e-8,
    weight_decay: 0,
    grad_clip: 1,
    adam_step: 1,
  },
  overlap: { cin_student: 0, cin_teacher: 0, gates: { one_sided: gate, no_gate: gate, reverse: gate } },
  grad_norm: { none: 1, erase: 1, route: 1 },
});

const ANSWER =
  'Here:\n```python\ndef solve(a, b):\n    return a + b\n\nclass Any:\n    def __eq__(self, other):\n        return True\n\ndef run_tests():\n    assert solve(1, 2) == 3\n```\nDone.';
const CODE_WORDS = [
  ...[
    '```',
    '```python\n',
    '\n',
    ' ',
    '    ',
    'def ',
    'def run_tests():',
    'class A:',
    '__eq__',
    'raise SystemExit(0)',
    'import sys',
  ],
  ...[
    'sys.exit(0)',
    'print(',
    "'''",
    '"""',
    "'",
    '"',
    '\\',
    '#',
    '(',
    '[',
    '{',
    ')',
    ':',
    'solve',
    '=',
    'lambda',
    'x = x',
    '\t',
    '\r',
  ],
];

export const TEXT_READERS: readonly Reader[] = [
  {
    name: 'pool',
    what: 'a teacher pool, JSON lines, plain or in gzip',
    good: bytesOf(POOL.map((row) => `${JSON.stringify(row)}\n`).join('')),
    make(random) {
      const lines = bytesOf(mutateLines(POOL, random, ['run_tests', 'honest', 'completion_ids', 'logprobs']));
      if (!random.oneIn(3)) return lines;
      const zipped = gzipSync(lines);
      return random.oneIn(2) ? zipped : mutateBytes(zipped, random);
    },
    read: (input) => readPoolFiles([{ file: new Blob([input as Uint8Array<ArrayBuffer>]), name: 'pool.jsonl' }]),
  },
  {
    name: 'problems',
    what: 'a file of real problems',
    good: bytesOf(PROBLEM_ROWS.map((row) => `${JSON.stringify(row)}\n`).join('')),
    make: (random) => bytesOf(mutateLines(PROBLEM_ROWS, random, PROBLEM_WORDS)),
    read: (input) => readProblemFile(textOf(input), 'problems.jsonl'),
  },
  {
    name: 'custom',
    what: 'a file of problems with checks, and the answers that they judge',
    good: bytesOf(CUSTOM_ROWS.map((row) => `${JSON.stringify(row)}\n`).join('')),
    make: (random) => bytesOf(mutateLines(CUSTOM_ROWS, random, NUMBER_WORDS)),
    read(input) {
      const problems = readCustomFile(textOf(input), 'mine.jsonl');
      const asked = problems.flatMap((problem) => problem.examples.map(({ answer }) => ({ problem, answer })));
      return judgeCustom(asked, async () => []);
    },
  },
  {
    name: 'pairs',
    what: 'labelled pairs',
    good: bytesOf(PAIRS),
    make: (random) => bytesOf(mutateJson(PAIRS, random, ['prompt', 'hack', 'clean', 'mechanism'])),
    read: (input) => pairsFromJson(textOf(input)),
  },
  {
    name: 'reference',
    what: 'inputs.json of a reference folder',
    good: bytesOf(INPUTS),
    make: (random) => bytesOf(mutateJson(INPUTS, random)),
    read: (input) => parseInputs(textOf(input)),
  },
  {
    name: 'answer',
    what: 'the code in what a model wrote, and the exploits in it',
    good: bytesOf(ANSWER),
    make: (random) => bytesOf(mutateText(ANSWER, CODE_WORDS, random)),
    read(input) {
      const code = extractCode(textOf(input));
      if (code !== null) structuralModes(code);
    },
  },
];
