// Thoughts and template arguments on the command line: which part of a response is judged, which arguments a template gets, and refusals.
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseArgs } from './args.ts';
import type { Command, CommandContext } from './command.ts';
import { grade } from './grade/grade.ts';
import { instructions } from './instructions.ts';
import { extract } from './model/extract.ts';
import { generate } from './model/generate.ts';
import { requestedExperiment, usage } from './run/flags.ts';
import { callCommand } from './testing/call.ts';

/** This template opens a thought in its prompt, unless thinking is disabled. */
const TEMPLATE =
  "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}{% endfor %}" +
  "{{ '<|im_start|>assistant\n<think>\n' }}{% if enable_thinking is defined and not enable_thinking %}{{ '\n</think>\n\n' }}{% endif %}";

/** The result with the printed output, a JSON object a line. */
async function call(command: Command, argv: readonly string[]) {
  const { text, notes } = await callCommand(command, argv);
  const rows = () => text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  return { text, rows, notes: notes.join('\n') };
}

let folder: string;
let model: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thinking-'));
  model = join(folder, 'thinker');
  await cp(resolve('public/models/tiny-coder'), model, { recursive: true });
  await rm(join(model, 'manifest.json'));
  const config = join(model, 'tokenizer_config.json');
  const json = JSON.parse(await readFile(config, 'utf8'));
  await writeFile(config, JSON.stringify({ ...json, chat_template: TEMPLATE }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const SHARED = '../shared/stranger/';
const CPU = ['--device', 'cpu', '--threads', '1'];

describe('grade --instructions', () => {
  it.skipIf(!existsSync(SHARED))(
    'judges what stands behind thoughts, as known (skipped where ../shared is missing)',
    async () => {
      const known = JSON.parse(readFileSync(`${SHARED}expected.json`, 'utf8')).thinking;
      const path = `${SHARED}instructions/think.jsonl`;
      for (const thinking of ['strip', 'keep'] as const) {
        const { rows, notes } = await call(grade, ['--instructions', path, '--json', '--thinking', thinking]);
        const found = rows();
        expect(found).toEqual(Object.keys(known).map((key) => ({ key: Number(key), ...known[key][thinking] })));
        expect(notes).toContain(`--thinking ${thinking}). 3 of 4 have a thought, 1 one that never ends.`);
      }
      const { rows } = await call(grade, ['--instructions', path, '--json']);
      expect(rows().map(({ strict }) => strict)).toEqual(
        Object.values<never>(known).map(({ strip }) => (strip as { strict: unknown }).strict),
      );
    },
  );

  it('judges what another command judged, where a row says it', async () => {
    const row = { key: 1, prompt: 'x', instruction_id_list: ['punctuation:no_comma'], kwargs: [{}] };
    const path = join(folder, 'rows.jsonl');
    // The prompt began the thought, so that the response has no tag.
    await writeFile(path, `${JSON.stringify({ ...row, response: 'it never ends', judged: '' })}\n`);
    const strict = async (...more: string[]) =>
      (await call(grade, ['--instructions', path, '--json', ...more])).rows()[0].strict;
    expect([await strict(), await strict('--thinking', 'keep')]).toEqual([[false], [true]]);
  });
});

it('grade judges code behind a thought', async () => {
  const completion =
    '<think>\n```python\nnot this\n```\n</think>\n\n```python\nclass Solution:\n    def solve(self, x):\n        return x + 3\n```';
  const path = join(folder, 'code.jsonl');
  await writeFile(path, `${JSON.stringify({ problem_id: 'add(3)@honest', completion })}\n`);
  const passed = async (...more: string[]) => (await call(grade, [path, '--json', ...more])).rows()[0].passed;
  expect([await passed(), await passed('--thinking', 'keep')]).toEqual([true, false]);
});

describe('a model whose template begins a thought', () => {
  it('answers instructions with nothing where it never ends one; and thinks not where it is told so', async () => {
    const path = join(folder, 'problems.jsonl');
    const rows = [1, 2].map((key) => ({
      key,
      prompt: 'x',
      instruction_id_list: ['punctuation:no_comma'],
      kwargs: [{}],
    }));
    await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const ask = async (...more: string[]) => {
      const argv = ['--model', model, '--problems', path, '--max-new', '4', '--json', ...CPU, ...more];
      const { rows, notes } = await call(instructions, [...argv, '--out', join(folder, `${more.join('')}.jsonl`)]);
      return { rows: rows(), notes };
    };
    const thinking = await ask();
    expect(thinking.rows.map(({ judged, strict }) => [judged, strict])).toEqual([
      ['', [false]],
      ['', [false]],
    ]);
    expect(thinking.notes).toContain('--thinking strip');
    expect(thinking.notes).toContain('2 of 2 responses are a thought and no answer.');
    const not = await ask('--chat-arg', 'enable_thinking=false');
    expect(not.rows.map(({ judged }) => judged)).toEqual([undefined, undefined]);
    const kept = await ask('--thinking', 'keep');
    expect(kept.rows.map(({ response, judged }) => [response, judged])).toEqual(
      thinking.rows.map(({ response }) => [response, undefined]),
    );
  });

  it('is told its arguments by generate, which names those that it never reads', async () => {
    const argv = ['--model', model, '--prompt', 'hi', '--chat', '--max-new', '1', '--json', ...CPU];
    const read = async (...more: string[]) => {
      const { text, notes } = await call(generate, [...argv, ...more]);
      return { ids: JSON.parse(text).promptIds.length as number, notes };
    };
    const [plain, told] = [
      await read(),
      await read('--chat-arg', 'enable_thinking=false', '--chat-arg', 'effort=high'),
    ];
    expect(told.ids).toBeGreaterThan(plain.ids);
    expect(told.notes).toMatch(/its chat template never reads effort; without effect/);
    expect(plain.notes).not.toContain('never reads');
  });

  it.each([
    [['--chat-arg', 'messages=[]'], /messages is given by the lab/],
    [['--chat-arg', 'a-b=1'], /"a-b" is no name/],
    [['--chat-arg', 'a=1', '--chat-arg', 'a=2'], /--chat-arg a is given twice/],
    [['--chat-arg', 'enable_thinking'], /has no value/],
  ])('refuses %j', async (more, why) => {
    await expect(call(generate, ['--model', model, '--prompt', 'hi', '--chat', ...more])).rejects.toThrow(why);
  });

  it('refuses them where no conversation is written', async () => {
    const arg = ['--chat-arg', 'enable_thinking=false'];
    await expect(call(generate, ['--model', model, '--prompt', 'hi', ...arg])).rejects.toThrow(/--chat-arg is for/);
    const pairs = join(folder, 'pairs.json');
    await writeFile(pairs, JSON.stringify([1, 2].map((i) => ({ prompt: `p${i}`, hack: 'a', clean: 'b' }))));
    const more = ['--pairs', pairs, '--out', join(folder, 'b.safetensors'), '--k', '1'];
    await expect(call(extract, ['--model', model, ...more, ...arg])).rejects.toThrow(/are for conversations/);
  });
});

describe('run', () => {
  const context = { root: resolve('.') } as CommandContext;
  const specOf = async (...argv: string[]) =>
    (await requestedExperiment(parseArgs(usage, argv).flags, context)).spec.overrides;
  it('takes both as options of its spec, absent where nobody gives them', async () => {
    expect(
      await specOf('--chat-arg', 'effort=high', '--chat-arg', 'enable_thinking=false', '--thinking', 'strip'),
    ).toMatchObject({ chatArgs: '{"effort":"high","enable_thinking":false}', thinking: 'strip' });
    // The same arguments are the same run, however they are given.
    const written = await specOf('--set', 'chatArgs={"enable_thinking": false, "effort": "high"}');
    expect(written.chatArgs).toBe('{"effort":"high","enable_thinking":false}');
    expect(Object.keys(await specOf('--set', 'chatArgs={ }'))).toEqual([]);
    expect(Object.keys(await specOf())).toEqual([]);
    await expect(specOf('--thinking', 'keep', '--set', 'thinking=strip')).rejects.toThrow(
      /given by --set and by a flag/,
    );
    await expect(specOf('--set', 'chatArgs={"messages":1}')).rejects.toThrow(
      /Jinja’s own names are not among them|is not allowed/,
    );
  });
});
