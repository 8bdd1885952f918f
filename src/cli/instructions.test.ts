// Responses are graded line by line, and a bad line is named before anything is printed; a model's answers are kept as they come, and the
// same command goes on where it was stopped.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FormatError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from './command.ts';
import { grade } from './grade/grade.ts';
import { readLines } from './grade/lines.ts';
import { instructions } from './instructions.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'instructions-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function call(command: Command, argv: string[], stop = new AbortController(), onUpdate = (_: number) => {}) {
  const printed: string[] = [];
  const notes: string[] = [];
  await command.run(argv, {
    out: (text) => void printed.push(text),
    progress: {
      update: (_, done) => onUpdate(done),
      line: () => {},
      note: (line) => void notes.push(line),
      end: () => {},
    },
    signal: stop.signal,
    root,
  });
  return { printed, notes };
}

const file = async (name: string, ...rows: (object | string)[]): Promise<string> => {
  const path = join(folder, name);
  const lines = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row)));
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
};

const ROW = {
  key: 7,
  prompt: 'Say it in quotes, without a comma.',
  instruction_id_list: ['startend:quotation', 'punctuation:no_comma'],
  // Copies of the benchmark have null for arguments of other kinds.
  kwargs: [{ num_words: null }, {}],
  response: 'Sure:\n"it"',
};

describe('grade --instructions', () => {
  it('prints the verdicts of each line in order, or the four scores', async () => {
    const path = await file(
      'graded.jsonl',
      ROW,
      { ...ROW, key: 'b', response: '"a, b"' },
      { ...ROW, response: '"it"' },
    );
    const { printed } = await call(grade, ['--instructions', path, '--json']);
    expect(printed.map((line) => JSON.parse(line))).toEqual([
      { key: 7, strict: [false, true], loose: [true, true] },
      { key: 'b', strict: [true, false], loose: [true, false] },
      { key: 7, strict: [true, true], loose: [true, true] },
    ]);
    const [table] = (await call(grade, ['--instructions', path])).printed;
    expect(table).toMatch(/prompt +3 +33\.3% +66\.7%/);
    expect(table).toMatch(/instruction +6 +66\.7% +83\.3%/);
  });

  it('names line and field of what it cannot grade, and prints nothing', async () => {
    const wrong: [object | string, RegExp][] = [
      ['{"key": 1', /:2 is not JSON/],
      [{ ...ROW, key: 1.5 }, /:2: key: /],
      [{ ...ROW, response: undefined }, /:2: response: /],
      [{ ...ROW, prompt: 'a'.repeat(1 << 20) }, /:2: prompt: has more than 100000 characters/],
      [{ ...ROW, response: 'a'.repeat(1 << 20) }, /:2: response: has more than 200000 characters/],
      [{ ...ROW, instruction_id_list: ['startend:quotation', 'x:y'] }, /:2: instruction_id_list\[1\] is "x:y"/],
      [{ ...ROW, kwargs: [{}] }, /:2: kwargs has 1 entries, and instruction_id_list 2/],
      [{ ...ROW, kwargs: [{ n: 1 }, {}] }, /:2: kwargs\[0\] has n, which startend:quotation does not take/],
      [{ ...ROW, kwargs: [3, {}] }, /:2: kwargs\[0\]: /],
    ];
    for (const [line, message] of wrong) {
      const path = await file('wrong.jsonl', ROW, line);
      const printed: unknown[] = [];
      const error: unknown = await call(grade, ['--instructions', path, '--json']).then(
        (result) => void printed.push(result),
        (reason: unknown) => reason,
      );
      expect(printed).toEqual([]);
      expect(error).toBeInstanceOf(FormatError);
      expect((error as Error).message).toMatch(message);
      expect((error as Error).message).not.toContain('\n');
    }
    await expect(call(grade, ['--instructions', 'a', 'b'])).rejects.toBeInstanceOf(SpecError);
  });
});

describe('instructions', () => {
  it('ships the prompts of the benchmark', async () => {
    const rows = await readLines(join(root, 'public/instructions/ifeval.jsonl.gz'));
    expect(rows).toHaveLength(541);
  });

  it('keeps each answer, goes on where it was stopped, and refuses rows of other settings', async () => {
    const { response: _, ...problem } = ROW;
    const problems = await file('problems.jsonl', ...[1, 2, 3].map((key) => ({ ...problem, key })));
    const out = join(folder, 'rows.jsonl');
    const argv = ['--problems', problems, '--max-new', '6', '--device', 'cpu', '--threads', '1'];
    const stop = new AbortController();
    const stopped = call(instructions, [...argv, '--batch', '1', '--out', out], stop, (done) => {
      if (done === 1) stop.abort(new StoppedError());
    });
    await expect(stopped).rejects.toBeInstanceOf(StoppedError);
    const first = await readFile(out, 'utf8');
    expect(first.trimEnd().split('\n')).toHaveLength(1);
    const { printed, notes } = await call(instructions, [...argv, '--batch', '2', '--out', out, '--json']);
    expect(notes).toContain(`1 of 3 answers are in ${out}.`);
    expect((await readFile(out, 'utf8')).startsWith(first)).toBe(true);
    const rows = printed.map((line) => JSON.parse(line));
    expect(rows.map(({ key }) => key)).toEqual([1, 2, 3]);
    // The rows equal those of one uninterrupted run.
    const whole = await call(instructions, [...argv, '--out', join(folder, 'whole.jsonl'), '--json']);
    expect(whole.printed).toEqual(printed);
    // `grade` can read them.
    const again = await call(grade, ['--instructions', out, '--json']);
    expect(again.printed.map((line) => JSON.parse(line).strict)).toEqual(rows.map(({ strict }) => strict));
    expect((await call(instructions, [...argv, '--out', out])).printed[0]).toMatch(/prompt +3 /);
    await expect(call(instructions, [...argv, '--seed', '2', '--out', out])).rejects.toThrow(/rows of another model/);
    expect(await readFile(out, 'utf8')).toContain(first.trimEnd());
  });

  it('names line and field of prompts that it cannot check, before a model is opened, and writes no row', async () => {
    const { response: _, ...problem } = ROW;
    const out = join(folder, 'none.jsonl');
    const wrong: [object, RegExp][] = [
      [{ ...problem, instruction_id_list: ['startend:quotation', 'x:y'] }, /:2: instruction_id_list\[1\] is "x:y"/],
      [{ ...problem, kwargs: [{ n: 1 }, {}] }, /:2: kwargs\[0\] has n, which startend:quotation does not take/],
      [{ ...problem, prompt: 'a'.repeat(1 << 20) }, /:2: prompt: has more than 100000 characters/],
    ];
    for (const [line, message] of wrong) {
      const problems = await file('wrong-problems.jsonl', problem, line);
      await expect(call(instructions, ['--problems', problems, '--out', out])).rejects.toThrow(message);
    }
    await expect(readFile(out, 'utf8')).rejects.toThrow(/ENOENT/);
  });

  it('says which prompt is too long for the model before the first is answered', async () => {
    const { response: _, ...problem } = ROW;
    const problems = await file('long.jsonl', problem, { ...problem, key: 2, prompt: 'long '.repeat(2000) });
    const out = join(folder, 'long-rows.jsonl');
    await expect(
      call(instructions, ['--problems', problems, '--max-new', '6', '--device', 'cpu', '--out', out]),
    ).rejects.toThrow(/long\.jsonl:2: prompt has \d+ tokens, and with --max-new 6 the model has 512 positions/);
    await expect(readFile(out)).rejects.toThrow();
  });
});
