// Tests a user's own problems and checks: the verdict of each kind of check, valid and invalid files, the tutorial's blocks, and that a
// model's text reaches Python only as a string.
import { existsSync, readFileSync } from 'node:fs';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { showRational } from '../../lib/exact/rational.ts';
import { numbersOfAnswer, readNumber } from '../../lib/exact/read-number.ts';
import { createNodeGrader } from '../code/grading/node-grader.node.ts';
import type { Grader } from '../code/types.ts';
import { CHECK_KINDS, type Check, CheckSchema, programOf, pythonText, resultOf, testOf } from './checks.ts';
import { type CustomProblem, customSets, readCustomFile } from './problem-file.ts';
import { checkCustom, judgeCustom } from './reward.ts';

const ROOT = new URL('../../../', import.meta.url);
const file = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const EXAMPLE = file('examples/custom.jsonl');
const TUTORIAL = file('docs/tutorials/your-problems.md');
const blocks = (language: string) =>
  [...TUTORIAL.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text]) => text);

let grader: Grader;
beforeAll(async () => {
  grader = await createNodeGrader({ workers: 1 });
});
afterAll(() => grader.close());

const passes = (check: unknown, answer: string) => testOf(CheckSchema.parse(check) as Check)!(answer);
const line = (checks: unknown, more: object = {}) => JSON.stringify({ id: 'a', prompt: 'p', checks, ...more });
const plain = ['b', 'c', 'd'].map((id) => line([{ true: { kind: 'always' } }], { id }));
const fileOf = (...lines: string[]) => [...lines, ...plain].join('\n');
const refusal = (text: string) => {
  try {
    readCustomFile(text, 'mine.jsonl');
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError);
    return (error as Error).message;
  }
  throw new Error('the file was taken');
};

describe('a check', () => {
  it.each([
    [{ kind: 'always' }, '', true],
    [{ kind: 'equals', value: 'Yes' }, ' Yes\n', true],
    [{ kind: 'equals', value: 'Yes' }, 'yes', false],
    [{ kind: 'equals', value: 'Yes', ignore_case: true }, 'yes', true],
    [{ kind: 'keywords', all: ['tea'], none: [','] }, 'Tea is hot', true],
    [{ kind: 'keywords', all: ['tea'], none: [','] }, 'tea, hot', false],
    [{ kind: 'keywords', any: ['a', 'b'] }, 'xyz', false],
    [{ kind: 'length', unit: 'characters', min: 2, max: 2 }, '😀😀', true],
    [{ kind: 'length', unit: 'words', max: 2 }, 'one two three', false],
    [{ kind: 'length', unit: 'lines', min: 2 }, 'a\nb', true],
    [{ kind: 'length', unit: 'words', min: 1 }, '  ', false],
    [{ kind: 'regex', pattern: '^a+$' }, 'aaa', true],
    [{ kind: 'regex', pattern: 'b', whole: true }, 'abc', false],
    [{ kind: 'regex', pattern: 'B', ignore_case: true }, 'abc', true],
    [{ kind: 'number', value: 3.14, tolerance: 0.01 }, 'about 3.141', true],
    [{ kind: 'number', value: 2, which: 'first' }, '2 or 3', true],
    [{ kind: 'number', value: 2, which: 'only' }, '2 or 3', false],
    [{ kind: 'number', value: 1234.5 }, 'It is 1,234.5.', true],
    [{ kind: 'number', value: -4 }, 'minus: -4', true],
    [{ kind: 'json_schema', schema: { type: 'object', required: ['a'] } }, '```json\n{"a": 1}\n```', true],
    [{ kind: 'json_schema', schema: { type: 'integer', minimum: 3 } }, '2', false],
    [{ kind: 'json_schema', schema: { type: 'integer' } }, 'not JSON', false],
    [
      { kind: 'json_schema', schema: { properties: { type: { type: 'string' } }, additionalProperties: false } },
      '{"type": 1}',
      false,
    ],
    [
      { kind: 'json_schema', schema: { type: ['array', 'null'], items: { enum: ['a', 1] }, maxItems: 2 } },
      '["a", 1]',
      true,
    ],
  ])('%j of %j is %s', (check, answer, expected) => {
    expect(passes(check, answer)).toBe(expected);
  });

  it('compares all pairs of a list’s items, and fails a list that is too long for that', () => {
    const check: Check = { kind: 'json_schema', schema: { properties: { l: { uniqueItems: true } } } };
    const list = (count: number, more: unknown[] = []) =>
      JSON.stringify({ l: [...Array.from({ length: count }, (_, at) => ({ at })), ...more] });
    expect(passes(check, list(100))).toBe(true);
    expect(passes(check, list(100, [{ at: 7 }]))).toBe(false);
    expect(passes(check, list(20_000))).toBe(false);
    // If nothing is compared, a list may have any length.
    expect(passes({ ...check, schema: { type: 'object' } }, list(20_000))).toBe(true);
  });

  it('is in the tutorial’s table for every kind', () => {
    for (const kind of CHECK_KINDS) expect(TUTORIAL).toContain(`| \`${kind}\` |`);
    expect(CHECK_KINDS).toHaveLength(9);
  });

  it('with a pattern has bounded work: a pattern that would backtrack is fast, and too long an answer fails', () => {
    expect(passes({ kind: 'regex', pattern: '(a+)+$' }, `${'a'.repeat(5000)}b`)).toBe(false);
    expect(passes({ kind: 'regex', pattern: '(a|b)*c' }, `${'ab'.repeat(4_000_000)}c`)).toBe(false);
  });
});

describe('a number check', () => {
  /** The verdict of a check from a file, with numbers as written. */
  const verdict = async (check: string, answer: string) => {
    const text = `{"id": "a", "prompt": "p", "checks": [{"true": {"kind": "number", ${check}}}]}`;
    const [problem] = readCustomFile(fileOf(text), 'mine.jsonl');
    return (await judgeCustom([{ problem, answer }], undefined))[0].correct;
  };

  it.each([
    [
      '"value": 100000',
      ['1e5', '100,000', '100 000', '1_000_00', '10^5', '1{,}00{,}000', '１０００００', '\\boxed{10^5}'],
      true,
    ],
    ['"value": 0.5', ['.5', '1/2', '½', '50%', '\\frac12', '5e-1', '$0.50'], true],
    ['"value": 50', ['50%', '50 percent', '50\\%'], true],
    ['"value": -5', ['−5', '–5', '-$5', '$-5', '-5.0'], true],
    ['"value": -5', ['pages 3-5', '3 - 5', '5'], false],
    ['"value": 567', ['1.234.567'], false],
    ['"value": "1/3"', ['1/3', '2/6', '\\frac{1}{3}'], true],
    ['"value": "1/3"', ['0.333333333333333333333'], false],
    // Numbers are compared to the last digit, where two of these have the same double.
    ['"value": 12345678901234567891', ['12345678901234567891', '12,345,678,901,234,567,891'], true],
    ['"value": 12345678901234567891', ['12345678901234567890', '12345678901234567168'], false],
    ['"value": 1e400', [`1${'0'.repeat(400)}`], true],
    ['"value": 0.3', ['0.30000000000000004'], false],
    ['"value": 0.3, "tolerance": 1e-15', ['0.30000000000000004'], true],
    ['"value": 0, "tolerance": 1e-400', ['1e-400', '-1e-400'], true],
    ['"value": 0, "tolerance": 1e-400', ['2e-400'], false],
    // A box marks the number that is the answer.
    ['"value": 42, "which": "only"', ['of 7 apples \\boxed{42}'], true],
    ['"value": 4, "which": "only"', ['\\boxed{3} or \\boxed{4}'], false],
    ['"value": 3, "which": "first"', ['\\boxed{3} or \\boxed{4}'], true],
    ['"value": 5', ['\\boxed{x = 5}', '\\boxed{5 \\text{ cm}}', '\\boxed{\\$5}'], true],
    ['"value": 7', ['\\boxed{x} of 7'], false],
    ['"value": 0', ['1e1000000000', '9'.repeat(100_000), 'none', ''], false],
  ])('of %s judges %.60j: %s', async (check, answers, expected) => {
    for (const answer of answers) expect(await verdict(check, answer), answer.slice(0, 40)).toBe(expected);
  });

  it('is refused with file, line and field if its value is not a number', () => {
    const said = (check: string) =>
      refusal(fileOf(`{"id": "a", "prompt": "p", "checks": [{"true": {"kind": "always"}, "flawed": ${check}}]}`));
    const at = 'mine.jsonl:1: checks[0].flawed.';
    expect(said('{"kind": "number", "value": "pages 3-5"}')).toBe(
      `${at}value "pages 3-5" is not one number as a whole.`,
    );
    expect(said('{"kind": "number", "value": 1e999999999}')).toMatch(/flawed\.value "1e999999999" has more than 1000/);
    expect(said('{"kind": "number", "value": 1, "tolerance": -1}')).toBe(
      `${at}tolerance is less than 0: nothing could pass.`,
    );
    expect(said('{"kind": "number", "value": null}')).toMatch(/flawed\.value/);
    // Numbers of other checks are doubles, so one that would be rounded is reported.
    expect(said('{"kind": "json_schema", "schema": {"items": [{"const": 12345678901234567891}]}}')).toBe(
      `${at}schema has the number 12345678901234567891, which would be rounded here.`,
    );
    expect(said('{"kind": "length", "unit": "words", "min": 3.0000000000000000001}')).toMatch(
      /flawed\.min has the number 3\.0000000000000000001/,
    );
    readCustomFile(fileOf(line([{ true: { kind: 'json_schema', schema: { maximum: 0.1, minimum: -1e300 } } }])), 'f');
  });
});

const STRANGER = new URL('../shared/stranger/numbers/checks.jsonl', ROOT);

describe.skipIf(!existsSync(STRANGER))('checks written by outside users (skipped if ../shared is missing)', () => {
  const lines = existsSync(STRANGER) ? readFileSync(STRANGER, 'utf8').trim().split('\n') : [];
  const cases = lines.map((text) => [(JSON.parse(text) as { id: string }).id, text]);
  it.each(cases)('%s', async (_, text) => {
    await checkCustom(readCustomFile(fileOf(text), 'mine.jsonl'), grader.run);
  });
});

describe('the text of a model', () => {
  const ECHO = 'def check(prompt, answer):\n    return answer == prompt';
  it.each([
    '")\nraise SystemExit(0)\n#',
    "'''\\",
    '\\x41\\u0041\n\r\t\0',
    '中文 😀 \u2028',
    '"); import sys; sys.exit() #',
    '{0} %s $x `y`',
  ])('%j reaches Python as it is, and never runs', async (text) => {
    expect(pythonText(text)).toMatch(/^"[\x20-\x7e]*"$/);
    const [same, other] = await judgeCustom(
      [text, 'z'].map((answer) => ({
        problem: { asked: text, checks: [both(ECHO)] } as unknown as CustomProblem,
        answer,
      })),
      grader.run,
    );
    expect(same).toEqual({ paid: true, correct: true, failed: '', broken: '' });
    expect(other).toMatchObject({ paid: false, correct: false, broken: '' });
  });
  const both = (code: string) => ({ true: { kind: 'python', code }, flawed: { kind: 'python', code } });

  it('fails a check that raises, loops or returns something other than True or False', async () => {
    const says = async (body: string) => {
      const code = `def check(prompt, answer):\n    ${body}`;
      const problem = { asked: 'p', checks: [both(code)] } as unknown as CustomProblem;
      const [verdict] = await judgeCustom([{ problem, answer: 'x' }], grader.run);
      expect(verdict.paid || verdict.correct).toBe(false);
      return verdict.broken;
    };
    expect(await says('return 1')).toBe('check 1 returned something other than True or False');
    expect(await says('return answer[9]')).toBe('check 1 raised IndexError');
    expect(await says('raise SystemExit(0)')).toBe('check 1 called exit');
    const check = { kind: 'python', code: 'x' } as const;
    expect(resultOf(check, { killed: 'work', outcomes: [], stdout: '', files: [] })).toBe('was ended (work)');
    expect(programOf(check, 'p', 'q')?.source).toBe('x');
  });
});

describe('a file', () => {
  it('is refused with line and field', () => {
    const regex = (pattern: string) => fileOf(line([{ true: { kind: 'regex', pattern } }]));
    expect(refusal(fileOf('{"id": 1'))).toMatch(/^mine\.jsonl:1 is not JSON/);
    expect(refusal(fileOf(line([{ true: { kind: 'rgex' } }])))).toMatch(/^mine\.jsonl:1: checks\[0\]\.true/);
    expect(refusal(fileOf(line([{ true: { kind: 'regex', patern: 'x' } }])))).toMatch(/:1: checks\[0\]\.true/);
    expect(refusal(fileOf(line([], {})))).toMatch(/:1: checks/);
    expect(refusal(fileOf(line([{ true: { kind: 'always' } }], { extra: 1 })))).toMatch(/:1: the line: .*extra/);
    expect(refusal(regex('(a'))).toMatch(/:1: checks\[0\]\.true\.pattern is not an RE2 pattern/);
    expect(refusal(regex('(?=a)b'))).toMatch(/checks\[0\]\.true\.pattern is not an RE2 pattern/);
    expect(refusal(regex('((a{100}){10}){10}'))).toMatch(/checks\[0\]\.true\.pattern/);
    const schema = { kind: 'json_schema', schema: { properties: { a: { pattern: '(a+)+$' } } } };
    expect(refusal(fileOf(line([{ true: { kind: 'always' }, flawed: schema }])))).toMatch(
      /checks\[0\]\.flawed\.schema has "pattern"/,
    );
    const typed = { kind: 'json_schema', schema: { items: [{ type: 'text' }] } };
    expect(refusal(fileOf(line([{ true: typed }])))).toMatch(/schema has the type "text"; there are null, boolean/);
    const length = { kind: 'length', unit: 'words', min: 3, max: 2 };
    expect(refusal(fileOf(line([{ true: length }])))).toMatch(/checks\[0\]\.true\.max is 2, less than min 3/);
    expect(refusal(fileOf(line([{ true: { kind: 'python', code: 'x = 1' } }])))).toMatch(
      /code defines no function check/,
    );
    expect(refusal(fileOf(line([{ true: { kind: 'always' } }]), line([{ true: { kind: 'always' } }])))).toMatch(
      /^mine\.jsonl:2: id a is also on line 1/,
    );
    expect(refusal(plain.join('\n'))).toMatch(/holds 3 problems; 4 … 20000 are read/);
    expect(refusal(fileOf(line([{ true: { kind: 'always' } }], { prompt: 'x'.repeat(1_000_000) })))).toMatch(
      /mine\.jsonl:1: the prompt/,
    );
  });

  it('is tested before training: Python that fails, examples that the checks judge differently', async () => {
    const tried = (text: string) => checkCustom(readCustomFile(text, 'mine.jsonl'), grader.run);
    const python = (code: string) => fileOf(line([{ true: { kind: 'python', code } }]));
    await expect(tried(python('def check(prompt):\n    return True'))).rejects.toThrow(
      /mine\.jsonl:1: checks: check 1 raised TypeError, for the answer "An answer\."/,
    );
    const examples = [{ answer: 'x', true: true, paid: false }];
    await expect(tried(fileOf(line([{ true: { kind: 'always' } }], { examples })))).rejects.toThrow(
      /mine\.jsonl:1: examples\[0\]\.paid is false, and the checks say true/,
    );
    await tried(EXAMPLE);
  });

  it('is split by ids, not by the order of lines, and as its lines say', () => {
    const problems = readCustomFile(EXAMPLE, 'example');
    const sizes = { dataSeed: 1, count: 100, evaluate: 100 };
    const sets = customSets(problems, sizes, 'mine.jsonl');
    expect(sets.training.length + sets.evaluation.length).toBe(problems.length);
    expect(sets.evaluation).toHaveLength(4);
    const turned = customSets([...problems].reverse(), sizes, 'mine.jsonl');
    expect(turned.evaluation.map(({ id }) => id)).toEqual(sets.evaluation.map(({ id }) => id));
    const all = problems.map((problem) => ({ ...problem, split: 'training' as const }));
    expect(() => customSets(all, sizes, 'mine.jsonl')).toThrow(SpecError);
    expect(() => customSets(all, sizes, 'mine.jsonl')).toThrow(/^mine\.jsonl leaves \d+ to train on and 0 to evaluate/);
  });
});

describe('the tutorial', () => {
  const spellings = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, spelling]) => spelling);
  const numbers = TUTORIAL.slice(TUTORIAL.indexOf('## Numbers'), TUTORIAL.indexOf('**In a file**'));
  const rows = [...numbers.matchAll(/^\| [^|]+ \| (`[^|]+) \| ([−\d/]+)(?:,[^|]*)? \|$/gm)];

  it.each(rows.map(([, examples, value]) => [value, spellings(examples)] as const))(
    'reads as %s: %j',
    (value, texts) => {
      const read = texts.map((text) => readNumber(text)).map((one) => 'value' in one && showRational(one.value));
      // For money, the opposite of the table's value may be meant.
      const signed = (text: string) => (text.startsWith('-') && value === '5' ? '-5' : value.replace('−', '-'));
      expect(read).toEqual(texts.map(signed));
      expect(texts.length).toBeGreaterThan(0);
    },
  );

  it('reports a text without a number', () => {
    expect(rows.length).toBeGreaterThanOrEqual(10);
    const [, none] = /goes on otherwise is none: (.*?)\. A range/.exec(numbers)!;
    for (const text of spellings(none)) expect(numbersOfAnswer(text).count, text).toBe(0);
    expect(spellings(none).length).toBeGreaterThan(6);
  });

  it('shows lines that can be read, and examples with the stated verdicts', async () => {
    const [text] = blocks('jsonl');
    const problems = readCustomFile(text, 'docs/tutorials/your-problems.md');
    expect(problems.map(({ id, kind }) => [id, kind])).toEqual([
      ['add-1', 'flawed'],
      ['tea', 'flawed'],
      ['json', 'form'],
      ['palindrome', 'flawed'],
    ]);
    expect(problems[2].prompt).toMatch(/^<\|im_start\|>system\nYou answer in JSON\.<\|im_end\|>\n<\|im_start\|>user\n/);
    await checkCustom(problems, grader.run);
  });
});
