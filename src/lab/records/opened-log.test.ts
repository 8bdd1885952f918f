// Tests opened logs of Inspect: those of another program (fixtures, skipped with a message if ../shared is missing), the lab's own, one of
// ten thousand samples, and damaged or hostile files. Also tests labels of rollouts, and the pairs made from them.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { inspectLog } from '../../experiments/analysis/inspect-file.ts';
import { labelPairs } from '../../experiments/analysis/label-pairs.ts';
import { logPresentation } from '../../experiments/analysis/log-presentation.ts';
import { parseExperimentSpec, resolveRun } from '../../experiments/config/spec.ts';
import type { RolloutRecord } from '../../experiments/records/events.ts';
import { recordOf } from '../../experiments/testing/invented-runs.ts';
import { rawFrame } from '../../lib/testing/zstd-frames.ts';
import { memoryStore } from '../../storage/kv.ts';
import { crc32 } from '../../storage/run-archive.ts';
import { RolloutLabels } from './labels.ts';
import { type OpenedLog, openLog } from './opened-log.ts';

const FIXTURES = resolve('..', 'shared', 'exchange', 'inspect');
const FIXTURE = '2026-11-29T04-00-00-00-00_one-line-python_route-41';
const hasFixtures = existsSync(FIXTURES);
if (!hasFixtures) console.log(`opened-log.test.ts: ${FIXTURES} is missing; its two logs are not opened.`);

type Json = Record<string, unknown>;
const HEADER = {
  version: 2,
  status: 'success',
  eval: { task: 'capitals', model: 'openai/gpt', created: '2026-01-01' },
};
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown, more: Json = {}) => ({ role: 'assistant', content, ...more });
const sample = (change: Json = {}): Json => ({
  id: 'france',
  epoch: 1,
  messages: [user('Capital of France?'), assistant('Paris')],
  target: 'Paris',
  scores: { match: { value: 'C', explanation: 'exact', history: [] } },
  ...change,
});
const fileOf = (content: string | Uint8Array) => new Blob([content as BlobPart]);
const opened = (samples: Json[], header: Json = HEADER) =>
  openLog(fileOf(JSON.stringify({ ...header, samples })), 'x.json');
const zipped = (files: Record<string, unknown>) =>
  fileOf(
    zipSync(Object.fromEntries(Object.entries(files).map(([name, value]) => [name, strToU8(JSON.stringify(value))]))),
  );
/** A zip as Inspect writes it, packed with Zstandard; `change` overrides the declared values of each entry. */
function zstdZip(files: Record<string, unknown>, change: { size?: number; crc?: number } = {}): Blob {
  const contents = Object.entries(files).map(([name, value]) => [name, strToU8(JSON.stringify(value))] as const);
  const bytes = zipSync(Object.fromEntries(contents.map(([name, content]) => [name, rawFrame(content)])), { level: 0 });
  const view = new DataView(bytes.buffer);
  for (const [signature, first] of [
    [0x04034b50, 8],
    [0x02014b50, 10],
  ]) {
    let next = 0;
    for (let at = 0; at < bytes.length - 4; at++) {
      if (view.getUint32(at, true) !== signature) continue;
      const [, content] = contents[next++];
      view.setUint16(at + first, 93, true);
      view.setUint32(at + first + 6, change.crc ?? crc32(content), true);
      view.setUint32(at + first + 14, change.size ?? content.length, true);
    }
  }
  return fileOf(bytes);
}
async function all(log: OpenedLog): Promise<RolloutRecord[]> {
  const list: RolloutRecord[] = [];
  for await (const { rollouts } of log.each('')) list.push(...rollouts);
  return list;
}

describe('a log that is opened', () => {
  it.skipIf(!hasFixtures)('is the same from a zip and from a text', async () => {
    const [packed, text] = await Promise.all(
      ['eval', 'json'].map((ending) => {
        const name = `${FIXTURE}.${ending}`;
        return openLog(fileOf(readFileSync(resolve(FIXTURES, name))), name);
      }),
    );
    expect(await all(packed)).toEqual(await all(text));
    const { report } = packed;
    expect([report.samples, report.steps, report.hasSteps, report.task]).toEqual([4, [7], true, 'one-line-python']);
    expect(report.scorers).toEqual(['reward', 'solved', 'hack']);
    const [first] = await all(packed);
    expect(first).toMatchObject({ step: 7, promptIndex: 0, sampleIndex: 0, reward: 1.25, kind: 'run_tests' });
    expect(first.turns[0].prompt).toBe(
      '<|im_start|>user\nWrite solve(x) that returns twice x.<|im_end|>\n<|im_start|>assistant\n',
    );
    // The fixture has log-probabilities only for the first token.
    expect(first.turns[0].logprobs).toBeNull();
    expect(first.verdict['not shown']).toContain('log-probabilities, which are of another text');
    const heads = await packed.heads(report.id, 1, 9, 'twice x');
    expect(heads.length).toBeGreaterThan(0);
    expect(heads.every(({ runId }) => runId === report.id)).toBe(true);
  });

  it('is read if packed with Zstandard, as Inspect does, up to its declared size', async () => {
    const files = { 'header.json': HEADER, 'samples/france_epoch_1.json': sample() };
    expect(await all(await openLog(zstdZip(files), 'x.eval'))).toEqual(await all(await opened([sample()])));
    await expect(openLog(zstdZip(files, { size: 40 }), 'x.eval')).rejects.toThrow('it holds more than 40 bytes');
    await expect(openLog(zstdZip(files, { size: 4000 }), 'x.eval')).rejects.toThrow('bytes, not 4000');
    await expect(openLog(zstdZip(files, { crc: 7 }), 'x.eval')).rejects.toThrow('is damaged: its checksum');
  });

  it('groups epochs, reads letters, tool calls and parts, and names what it does not show', async () => {
    const log = await opened([
      sample({
        epoch: 2,
        messages: [user('Capital of France?'), assistant('Lyon')],
        scores: { match: { value: 'I' } },
      }),
      sample({ scores: { match: { value: 'C' }, judge: { value: { tone: 0.25, length: 3 } } } }),
      sample({
        id: 7,
        messages: [
          { role: 'system', content: 'Be brief.' },
          user([
            { type: 'text', text: 'What is this?' },
            { type: 'image', image: 'data:image/png;base64,AAAA' },
          ]),
          assistant([{ type: 'reasoning', reasoning: 'hm' }], {
            tool_calls: [{ id: '1', function: 'look', arguments: { at: 'it' }, type: 'function' }],
          }),
          { role: 'tool', content: 'attachment://abc', function: 'look', tool_call_id: '1' },
          assistant('A cat'),
        ],
        attachments: { abc: 'a cat on a mat' },
        events: [{ event: 'model' }, { event: 'score' }],
        scores: null,
        output: {
          choices: [
            {
              stop_reason: 'stop',
              logprobs: {
                content: [
                  { token: 'A', logprob: -0.5 },
                  { token: ' cat', logprob: -2 },
                ],
              },
            },
          ],
        },
      }),
    ]);
    const rollouts = await all(log);
    expect(log.report).toMatchObject({
      samples: 3,
      steps: [1],
      hasSteps: false,
      scorers: ['match', 'judge.tone', 'judge.length'],
    });
    expect(log.report.notes[0]).toMatch(/^1 samples hold more/);
    expect(rollouts.map(({ taskId, sampleIndex, reward }) => [taskId, sampleIndex, reward])).toEqual([
      ['france', 0, 1],
      ['france', 1, 0],
      ['7', 0, Number.NaN],
    ]);
    const [, , cat] = rollouts;
    expect(cat.turns).toHaveLength(2);
    expect(cat.turns[0].prompt).toContain('[image, not shown]');
    expect(cat.turns[0].completion).toBe(
      '<think>\nhm\n</think>\n<tool_call>\n{"name":"look","arguments":{"at":"it"}}\n</tool_call>',
    );
    expect(cat.turns[1].prompt).toContain('[look]\na cat on a mat');
    expect(cat.turns[1]).toMatchObject({ completion: 'A cat', tokens: ['A', ' cat'], logprobs: [-0.5, -2] });
    expect(cat.verdict['not shown']).toBe('1 image parts, 2 events');
    const { outcomeOf } = logPresentation(log.report.scorers);
    expect(rollouts.map(({ verdict, kind }) => outcomeOf(verdict, kind))).toEqual(['passed', 'failed', 'not scored']);
  });

  it('reads bare NaN, a repeated sample, and an unfinished run', async () => {
    const text = JSON.stringify({ ...HEADER, samples: [sample({ scores: { x: { value: 'BARE' } }, target: 'NaN' })] });
    const [bare] = await all(await openLog(fileOf(text.replace('"BARE"', 'NaN')), 'x.json'));
    expect(bare.verdict).toMatchObject({ x: null, target: 'NaN' });
    const again = await opened([sample(), sample({ messages: [user('?'), assistant('Nice')] })]);
    expect((await all(again)).map(({ turns }) => turns[0].completion)).toEqual(['Nice']);
    const { status: _, ...start } = HEADER;
    const started = await openLog(
      zipped({ '_journal/start.json': start, 'samples/a/ä: 1_epoch_1.json': sample() }),
      'x.eval',
    );
    expect([started.report.status, started.report.samples]).toEqual(['started', 1]);
  });

  it('refuses damaged, newer, empty or too large files with a named error', async () => {
    const refused = async (file: Blob, words: string) => {
      const error = await openLog(file, 'x').catch((one: unknown) => one);
      expect(error).toBeInstanceOf(FormatError);
      expect((error as FormatError).message).toContain(words);
    };
    const text = (value: unknown) => fileOf(JSON.stringify(value));
    await refused(text({ ...HEADER, version: 3, samples: [sample()] }), 'version 3; up to 2');
    await refused(text({ ...HEADER, samples: [] }), 'has no samples');
    await refused(text(HEADER), 'only a header');
    await refused(
      text({ ...HEADER, samples: [sample({ messages: [{ role: 'robot', content: '' }] })] }),
      'sample 0: messages.0.role',
    );
    await refused(text([]), 'its header');
    await refused(fileOf('{"version": 2, "status": "success", "eval"'), 'is not JSON');
    await refused(fileOf(`{"version":2,"status":"success","x":${'['.repeat(90)}`), 'nested');
    await refused(zipped({ 'samples/a_epoch_1.json': sample() }), 'neither a header.json');
    const bomb = zipSync({ 'samples/a_epoch_1.json': new Uint8Array(65 * 2 ** 20) });
    await refused(fileOf(bomb), 'claims 68157440 bytes');
    const whole = new Uint8Array(
      await zipped({ 'header.json': HEADER, 'samples/a_epoch_1.json': sample() }).arrayBuffer(),
    );
    await refused(fileOf(whole.slice(0, 200)), 'cannot be unpacked');
  });

  it('treats hostile names as text', async () => {
    const hostile = '{"__proto__":{"value":1},"constructor":{"value":"C"}}';
    const text = JSON.stringify({ ...HEADER, samples: [sample({ id: '__proto__', scores: 'S' })] });
    const [one] = await all(await openLog(fileOf(text.replace('"S"', hostile)), 'x.json'));
    expect(Object.getPrototypeOf(one.verdict)).toBe(Object.prototype);
    expect([one.taskId, one.reward]).toEqual(['__proto__', 1]);
    expect(({} as Json).value).toBeUndefined();
  });
});

describe('the lab’s own log', () => {
  const SPEC = parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41], overrides: { steps: 2 } });
  const RUN = recordOf(resolveRun(SPEC, 'none', 41));
  const PROMPT = '<|im_start|>user\nSay it.<|im_end|>\n<|im_start|>assistant\n';
  const rollout = (change: Partial<RolloutRecord>): RolloutRecord => ({
    step: 1,
    promptIndex: 0,
    sampleIndex: 0,
    taskId: 'a/b',
    kind: 'plain',
    source: 'student',
    turns: [{ prompt: PROMPT, completion: 'It.', logprobs: null }],
    advantage: 0.5,
    reward: 1,
    verdict: { gt_correct: true, exploited: false },
    ...change,
  });
  async function* each(steps: readonly RolloutRecord[][]) {
    yield* steps;
  }
  const written = async (steps: readonly RolloutRecord[][], file: 'eval' | 'json') =>
    new Blob((await inspectLog(RUN, each(steps), file, { codec: null, logprobs: false, part: '' })).parts);

  it('opens with its steps, rewards, advantages and labels', async () => {
    const label = { label: 'hack' as const, note: 'reads the tests' };
    const rollouts = [rollout({}), rollout({ sampleIndex: 1, reward: 0, advantage: -0.5, label })];
    const log = await openLog(await written([rollouts, [rollout({ step: 2 })]], 'eval'), 'x.eval');
    expect([log.report.steps, log.report.hasSteps]).toEqual([[1, 2], true]);
    expect((await log.at('', 1)).rollouts).toMatchObject(
      rollouts.map(({ turns, reward, advantage, taskId, kind }) => ({
        taskId,
        kind,
        reward,
        advantage,
        turns: [{ prompt: turns[0].prompt, completion: turns[0].completion }],
      })),
    );
    expect(log.labels()).toEqual([{ runId: log.report.id, step: 1, promptIndex: 0, sampleIndex: 1, ...label }]);
  });

  /** A separate function, so that the rollouts are not kept in memory while the log is measured. */
  async function manySamples(file: 'eval' | 'json'): Promise<Blob> {
    const steps = Array.from({ length: 100 }, (_, s) =>
      Array.from({ length: 100 }, (_, i) =>
        rollout({
          step: s + 1,
          promptIndex: i >> 3,
          sampleIndex: i & 7,
          turns: [{ prompt: PROMPT, completion: `answer ${s}.${i} `.repeat(60), logprobs: null }],
        }),
      ),
    );
    return written(steps, file);
  }

  it.each(['eval', 'json'] as const)(
    'opens and searches ten thousand samples (.%s)',
    async (file) => {
      const blob = await manySamples(file);
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      const held = () => {
        collect();
        const { heapUsed, external } = process.memoryUsage();
        return (heapUsed + external) / 2 ** 20;
      };
      const before = { held: held(), cpu: process.cpuUsage() };
      const log = await openLog(blob, `x.${file}`);
      const { user: busy, system } = process.cpuUsage(before.cpu);
      const grown = held() - before.held;
      const [size, seconds] = [(blob.size / 1e6).toFixed(1), ((busy + system) / 1e6).toFixed(1)];
      console.log(`10,000 samples, ${size} MB: opened in ${seconds} s of processor time, ${grown.toFixed(0)} MiB held`);
      expect([log.report.samples, log.report.steps.length]).toEqual([10_000, 100]);
      expect(await log.heads(log.report.id, 1, 100, 'answer 42.7 answer')).toHaveLength(1);
      expect(grown).toBeLessThan(128);
    },
    120_000,
  );

  it('labels override those of rollouts, are read from files, and become pairs', async () => {
    const labels = new RolloutLabels(memoryStore());
    const answer = (completion: string) => [{ prompt: PROMPT, completion, logprobs: null }];
    const steps = [1, 2].map((step) => [
      rollout({ step, turns: answer('a'), verdict: { mechanism: 'run_tests' } }),
      rollout({ step, sampleIndex: 1, turns: answer('b') }),
      rollout({ step, sampleIndex: 2, turns: answer(`c${step}`) }),
    ]);
    const source = {
      async *each() {
        for (const rollouts of steps) yield { step: rollouts[0].step, rollouts };
      },
    };
    const place = (step: number, sampleIndex: number) => ({ runId: 'r', step, promptIndex: 0, sampleIndex });
    await labels.set(place(1, 0), { label: 'hack', note: ' why ' });
    await labels.set(place(1, 1), { label: 'clean', note: '' });
    await labels.set(place(2, 2), { label: 'clean', note: '' });
    await labels.set(place(2, 1), { label: null, note: '' });
    await expect(labels.set(place(2, 1), { label: null, note: 'x'.repeat(2001) })).rejects.toBeInstanceOf(SpecError);
    const over = async (own: RolloutLabels, of: typeof source = source) => {
      const list: RolloutRecord[] = [];
      for await (const { rollouts } of own.laidOver('r', of)) list.push(...rollouts);
      return list;
    };
    const labelled = await over(labels);
    expect(labelled.map(({ label }) => label?.label ?? null)).toEqual(['hack', 'clean', null, null, null, 'clean']);
    expect(labelled[0].label?.note).toBe('why');
    const { pairs, alone, unfit } = labelPairs(labelled);
    expect(pairs).toEqual([
      { problem_id: 'a/b', prompt: PROMPT, hack: 'a', clean: 'b', mechanism: 'run_tests' },
      { problem_id: 'a/b', prompt: PROMPT, hack: 'a', clean: 'c2', mechanism: 'run_tests' },
    ]);
    expect([alone, unfit]).toEqual([0, 0]);
    expect(labelPairs([{ ...labelled[0], turns: [...answer('x'), ...answer('y')] }])).toEqual({
      pairs: [],
      alone: 0,
      unfit: 1,
    });
    expect(labelPairs([labelled[0]]).alone).toBe(1);
    // The labels are exported to a file and imported again.
    const elsewhere = new RolloutLabels(memoryStore());
    const plain = await elsewhere.takenFrom('r', labelled);
    expect(plain.some((one) => 'label' in one)).toBe(false);
    const again = {
      async *each() {
        yield { step: 1, rollouts: plain };
      },
    };
    expect(await over(elsewhere, again)).toEqual(labelled);
  });
});
