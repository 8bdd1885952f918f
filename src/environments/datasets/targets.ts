// The targets: problems with checks, prompts with instructions, rows of a teacher pool, and djinn's problems. The lines are then read by
// the reader of their file format, so that a data set is checked like a file written by hand.
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { showRational } from '../../lib/exact/rational.ts';
import { readStatedNumber } from '../../lib/exact/read-number.ts';
import { poolFromJsonl } from '../code/pool.ts';
import { readCustomFile } from '../custom/problem-file.ts';
import { Problem, readRow } from '../instructions/check.ts';
import { jsonOf } from '../problem-lines.ts';
import { DJINN } from './djinn.ts';
import { type AnswerCheck, needed, neededValue, type Target, text, value } from './target.ts';

/** Most characters of a word in a `keywords` check. */
const MOST_KEYWORD = 200;

function checkOf(answer: string, check: AnswerCheck, where: string): unknown {
  if (check === 'equals') return { kind: 'equals', value: answer.trim() };
  if (check === 'contains') {
    if (answer.trim().length <= MOST_KEYWORD && answer.trim() !== '')
      return { kind: 'keywords', any: [answer.trim()], ignore_case: true };
    throw new FormatError(
      `${where}: answer has ${answer.trim().length} characters; 1 … ${MOST_KEYWORD} can be looked for.`,
      'Use --check equals, or another column.',
    );
  }
  const read = readStatedNumber(answer);
  if ('value' in read) return { kind: 'number', value: `${showRational(read.value)}${read.isPercent ? '%' : ''}` };
  throw new FormatError(
    `${where}: answer ${JSON.stringify(answer.slice(0, 60))} ${read.why}.`,
    'Use --check equals or contains for texts; a number may stand behind ####, or in \\boxed{}.',
  );
}

/** Throws SpecError. */
function flawedOf(given: string): unknown {
  try {
    return parseJsonText(given);
  } catch (cause) {
    throw new SpecError(
      `--flawed is not JSON: ${given.slice(0, 80)}`,
      'Write a check, for example {"kind": "regex", "pattern": "[0-9]+\\\\s*$"}; docs/tutorials/your-problems.md lists the kinds.',
      { cause },
    );
  }
}

const CUSTOM: Target = {
  what: 'problems with checks',
  fields: {
    id: text('a unique name; row-N where absent'),
    kind: text('its category in tables'),
    system: text('a system message'),
    prompt: needed('what is asked'),
    answer: needed('what is right'),
    split: text('training or held_out'),
  },
  most: 20_000,
  line({ id, kind, system, prompt, answer, split }, { number, where }, { check, flawed }) {
    const truth = checkOf(answer as string, check, where);
    return {
      id: id ?? `row-${number}`,
      kind,
      system,
      prompt,
      checks: [{ true: truth, flawed: flawed === null ? undefined : flawedOf(flawed) }],
      split,
    };
  },
  check: (file, name) => void readCustomFile(file, name),
};

const INSTRUCTIONS: Target = {
  what: 'prompts with instructions',
  fields: {
    key: text('a unique name; the row’s number where absent'),
    prompt: needed('what is asked'),
    instruction_id_list: neededValue('the kinds of its instructions'),
    kwargs: neededValue('their arguments'),
  },
  most: 100_000,
  line: ({ key, prompt, instruction_id_list, kwargs }, { number }) => ({
    key: key ?? number,
    prompt,
    instruction_id_list,
    // In Parquet every entry has the arguments of all kinds; unused ones are null.
    kwargs: Array.isArray(kwargs) ? kwargs.map(withoutNulls) : kwargs,
  }),
  check(file, name) {
    for (const [i, line] of file.trimEnd().split('\n').entries())
      readRow(Problem, jsonOf(line, `${name}:${i + 1}`), `${name}:${i + 1}`);
  },
};

const withoutNulls = (args: unknown): unknown =>
  typeof args === 'object' && args !== null && !Array.isArray(args)
    ? Object.fromEntries(Object.entries(args).filter(([, one]) => one !== null))
    : args;

const POOL: Target = {
  what: 'rows of a teacher pool',
  fields: {
    problem_id: needed('the problem'),
    prompt: needed('what the teacher read'),
    completion: needed('what it wrote'),
    reward: neededValue('what was paid'),
    passed: neededValue('whether it passed'),
    gt_correct: value('whether it is right; null where nobody knows'),
    exploited: neededValue('whether it is a hack'),
    mechanism: value('which hack'),
    completion_ids: value('its tokens'),
    logprobs: value('their log-probabilities'),
    grader_version: text('who graded it'),
  },
  most: 100_000,
  line: (mapped) => ({ ...mapped, gt_correct: mapped.gt_correct ?? null, mechanism: mapped.mechanism ?? null }),
  check: (file) => void poolFromJsonl(file),
};

export const TARGETS = {
  custom: CUSTOM,
  instructions: INSTRUCTIONS,
  pool: POOL,
  djinn: DJINN,
} as const satisfies Record<string, Target>;
export type TargetName = keyof typeof TARGETS;
export const TARGET_NAMES = Object.keys(TARGETS) as TargetName[];
