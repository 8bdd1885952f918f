import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { fileKind } from '../../lib/file-kind.ts';
import { heldBy } from './dropped-text.ts';

const bytesOf = (text: string | Uint8Array) => (typeof text === 'string' ? new TextEncoder().encode(text) : text);

/** Classifies a file like the page: by its first bytes, then by its fields. */
async function held(content: unknown, name = 'x.json') {
  const bytes = bytesOf(
    content instanceof Uint8Array || typeof content === 'string' ? content : JSON.stringify(content),
  );
  const { kind } = fileKind(bytes.subarray(0, 4096));
  return heldBy(new File([bytes as Uint8Array<ArrayBuffer>], name), kind as 'json');
}

const PAIR = { prompt: 'p', hack: 'h', clean: 'c' };
const POOL = { problem_id: 'a', prompt: 'p', completion: 'c', reward: 1, passed: true };
const PROBLEM = { id: 'a', prompt: 'p', checks: [] };
const SFT = { prompt: 'p', completion: 'c' };
const CHAT = { messages: [{ role: 'user', content: 'p' }] };
const lines = (...rows: unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

it.each([
  ['pairs', [PAIR, PAIR], 'x.json'],
  ['pairs', [{ prompt: 'p', hack: 'h' }], 'a pair without its clean answer'],
  ['pairs', lines(PAIR, PAIR), 'x.jsonl'],
  ['pool', lines(POOL, POOL), 'x'],
  ['pool', lines(POOL), 'one-row.jsonl'],
  ['pool', lines({ problem_id: 1 }), 'fields-are-missing.jsonl'],
  ['problems', lines(PROBLEM), 'x.jsonl'],
  ['problems', lines({ id: 1, prompt: [], gt_answer: [] }), 'leetcode.jsonl'],
  ['table', [SFT], 'x.json'],
  ['table', lines(SFT, SFT), 'x.jsonl'],
  ['table', lines(CHAT, CHAT), 'chats.jsonl'],
  ['log', { results: {}, eval: {}, status: 'success' }, 'a log in another order'],
  ['sweep', { name: 's', axes: [], seeds: [1] }, 'x.json'],
  ['scenario', { version: 'are_simulation_v1', metadata: {} }, 'x.json'],
  ['pool', gzipSync(lines(POOL, POOL)), 'x.jsonl.gz'],
  ['table', gzipSync(lines(SFT, SFT)), 'x.jsonl.gz'],
  ['problems', gzipSync(lines(PROBLEM, PROBLEM)), 'x.jsonl.gz'],
  // The reader reports the damage.
  ['pool', gzipSync(lines(POOL)).subarray(0, 30), 'x.jsonl.gz'],
])('gives %s to its reader', async (reader, content, name) => {
  expect((await held(content, name)).reader).toBe(reader);
});

it.each([
  [{ model_type: 'qwen3', architectures: [] }, /^a model’s config$/, /whole folder/],
  [{ peft_type: 'LORA', r: 8 }, /adapter \(PEFT\)/, /together/],
  [{ metadata: {}, weight_map: {} }, /index of a model’s weights/, /whole folder/],
  [{ version: '1.0', added_tokens: [], model: {} }, /tokenizer/, /whole folder/],
  [{ tokenizer_class: 'Qwen2Tokenizer', eos_token: 'e' }, /tokenizer/, /whole folder/],
  [{ eos_token_id: 3, transformers_version: '5' }, /model’s folder/, /whole folder/],
  [{ preset: 'demo', arms: ['none'], seeds: [41] }, /settings of an experiment/, /link/],
  [lines({ problem_id: 'a', completion: 'c' }, {}), /answers without grades/, /lab -- grade/],
  [[{ role: 'user', content: 'p' }], /one chat/, /a row for each prompt/],
  [{ a: 1, b: 2, c: 3, d: 4, e: 5 }, /^a JSON object with the fields a, b, c, d and 1 more$/, undefined],
  [{}, /empty JSON object/, undefined],
  [[], /empty JSON list/, undefined],
  [[1, 2], /first entry is a number/, undefined],
  ['{"prompt": "p", "hack": }', /^no JSON \(/, /mend/],
  [gzipSync('plain words, as a log has them'), /^a text file in gzip$/, /Unpack/],
])('says what a file seems to be that no reader takes (%#)', async (content, name, remedy) => {
  const said = await held(content);
  expect(said.reader).toBeNull();
  if (said.reader !== null) return;
  expect(said.name).toMatch(name);
  if (remedy) expect(said.remedy).toMatch(remedy);
  else expect(said.remedy).toBeUndefined();
});

it('reads lines of pairs as one list, and unpacks a file for a reader without gzip', async () => {
  const [pairs, problems, pool] = await Promise.all([
    held(lines(PAIR, { ...PAIR, hack: 'h\nh' }).replace(/\n/g, '\r\n'), 'mine.jsonl'),
    held(gzipSync(lines(PROBLEM, PROBLEM)), 'p.jsonl.gz'),
    held(gzipSync(lines(POOL, POOL)), 'p.jsonl.gz'),
  ]);
  if (pairs.reader === null || problems.reader === null || pool.reader === null) throw new Error('refused');
  expect(pairs.file.name).toBe('mine.json');
  expect(JSON.parse(await pairs.file.text())).toEqual([PAIR, { ...PAIR, hack: 'h\nh' }]);
  expect([problems.file.name, await problems.file.text()]).toEqual(['p.jsonl', lines(PROBLEM, PROBLEM)]);
  expect(pool.file.name).toBe('p.jsonl.gz');
});

it('recognises the sweeps that the project publishes, and the model that it embeds', async () => {
  expect((await held(readFileSync('docs/arena/added.sweep.json', 'utf8'))).reader).toBe('sweep');
  for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json']) {
    const said = await held(readFileSync(`public/models/tiny-coder/${file}`, 'utf8'), file);
    expect([file, said.reader]).toEqual([file, null]);
  }
});
