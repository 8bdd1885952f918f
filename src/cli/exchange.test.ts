// The recipes of docs/how-to/exchange.md, run as they are written: a run's adapter, the base with it, both as one model, a basis of it, and a
// run that begins from it; a harness's request to a served run; its rollouts for Inspect and verifiers; a data set as problems of a run.
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadModelFiles } from '../storage/model-files.ts';
import { SafetensorsFile } from '../storage/safetensors.ts';
import { type TensorToWrite, writeSafetensors } from '../storage/safetensors-write.ts';
import { diskSource } from '../storage/sources.node.ts';
import { COMMANDS } from './commands.ts';
import { callCommand } from './testing/call.ts';
import { asked, served } from './testing/served.node.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exchange-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The commands of a section's blocks of shell, as words. */
async function recipe(heading: string): Promise<string[][]> {
  const page = await readFile(join(root, 'docs/how-to/exchange.md'), 'utf8');
  const start = page.indexOf(`\n## ${heading}\n`);
  expect(start, heading).toBeGreaterThan(0);
  const section = page.slice(start, page.indexOf('\n## ', start + 1) + 1 || undefined);
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block.replaceAll('\\\n', ' '));
  const lines = blocks.flatMap((block) => block.split('\n')).filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) =>
    [...line.replace('npm run lab -- ', '').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
      (found) => found[1] ?? found[2] ?? found[3],
    ),
  );
}

/** A word in capitals is a file or folder of one's own; so is a picture. */
const own = (word: string): string => (/^([A-Z]{2,}|\w+\.svg)$/.test(word) ? join(folder, word) : word);
/** Commands that compute nothing on a device. */
const PLAIN = ['problems', 'tables'];

async function lab([name, ...argv]: readonly string[], ...more: string[]): Promise<string> {
  const given = [...argv.map(own), ...more, ...(PLAIN.includes(name) ? [] : ['--device', 'cpu'])];
  const { code, text } = await callCommand(await COMMANDS[name].load(), given, { root });
  expect(code, `${name} ${given.join(' ')}`).toBe(0);
  return text;
}

const small = ['--set', 'problems=8', '--set', 'evalEvery=0', '--set', 'finalEvalProblems=4', '--set', 'pairs=8'];
beforeAll(async () => {
  const brief = [...small, '--set', 'adapter=lora', '--set', 'loraRank=2', '--set', 'lr=0.02'];
  await lab(['run', '--preset', 'smoke', '--arms', 'none', '--steps', '1', ...brief, '--out', 'RUN']);
}, 120_000);

it('brings an adapter out and in', async () => {
  await writeFile(
    own('PAIRS'),
    JSON.stringify([
      { prompt: 'def f(a):\n', hack: '    return 1\n', clean: '    return a\n' },
      { prompt: 'def g(a):\n', hack: '    pass\n', clean: '    return a + 1\n' },
    ]),
  );
  const [out, says, merge, basis, train, trace, ...rest] = await recipe('Adapters of PEFT');
  expect([out, says, merge, basis, train, trace].map(([name]) => name)).toEqual([
    'export',
    'generate',
    'export',
    'extract',
    'run',
    'trace',
  ]);
  expect(rest).toEqual([]);
  const written = JSON.parse(await lab(out, '--json'));
  expect(written).toMatchObject({ r: 2, exact: true, maxLoraRank: 8 });
  const said = JSON.parse(await lab(says, '--json'));
  expect(said.adapter).toMatchObject({ folder: own('ADAPTER'), r: 2, scale: 1, base: 'tiny-coder' });
  await lab(merge);
  const asked = ['generate', '--model', own('MERGED'), ...says.slice(says.indexOf('--prompt')), '--json'];
  expect(JSON.parse(await lab(asked)).ids).toEqual(said.ids);
  const cache = ['--cache', own('CACHE')];
  await lab(basis, ...cache);
  expect(existsSync(own('BASIS'))).toBe(true);

  // Two checkpoints of one adapter: it has not moved.
  await cp(join(root, 'public/models/tiny-coder'), own('BASE'), { recursive: true });
  for (const step of [1, 2]) await cp(own('ADAPTER'), join(own('SERIES'), `checkpoint-${step}`), { recursive: true });
  await lab(['extract', '--pairs', 'PAIRS', '--k', '2', '--out', 'DIRECTIONS', ...cache]);
  const checks = [{ true: { kind: 'regex', pattern: 'return' } }];
  const tasks = ['f', 'g', 'h', 'k'].map((id) => JSON.stringify({ id, prompt: `def ${id}(a):`, checks }));
  await writeFile(own('TASKS'), tasks.join('\n'));
  const [bare, , second] = JSON.parse(await lab(trace, '--json', '--max-new', '24', ...cache));
  expect([bare.adapter, bare.answers.n, existsSync(own('series.svg'))]).toEqual(['BASE', 4, true]);
  expect(second).toMatchObject({ adapter: 'checkpoint-2', r: 2, moved: 0, basis: { inBasis: expect.any(Number) } });
  expect(second.cosBefore).toBeCloseTo(1, 6);

  // The record tells the adapted model from its base, by name and by sha-256.
  const result = JSON.parse(await lab(train, ...small, ...cache, '--json', '-', '--out', own('LATER')));
  const base = await loadModelFiles(diskSource(join(root, 'public/models/tiny-coder')));
  const [run] = result.runs;
  expect([run.spec.model, run.modelSha256]).toEqual(['tiny-coder+ADAPTER', said.model.sha256]);
  expect(run.modelSha256).not.toBe(base.sha256);
  expect(run.begunFrom).toEqual({ sha256: said.adapter.sha256, rank: 2, as: 'folded' });
  const later = ['export', '--run', own('LATER'), '--adapter', own('ADAPTER'), '--format', 'peft', '--rank', '8'];
  expect(JSON.parse(await lab(later, ...cache, '--out', own('BOTH'), '--json')).origin).toMatchObject({
    run: 'none-41',
  });
}, 240_000);

it('continues an adapter where the run’s own LoRA has room for it, and exports one of the bare base', async () => {
  const [, says, , , train] = await recipe('Adapters of PEFT');
  const lora = ['--set', 'adapter=lora', '--set', 'loraRank=4', '--set', 'lr=0.02'];
  const more = JSON.parse(await lab(train, ...small, ...lora, '--json', '-', '--out', own('MORE'))).runs[0];
  expect(more.begunFrom).toEqual({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), rank: 2, as: 'continued' });
  const tuned = [
    'export',
    '--run',
    own('MORE'),
    '--adapter',
    own('ADAPTER'),
    '--format',
    'peft',
    '--out',
    own('TUNED'),
  ];
  expect(JSON.parse(await lab(tuned, '--json')).r).toBe(4);
  await lab(['export', '--run', own('MORE'), '--adapter', own('ADAPTER'), '--format', 'hf', '--out', own('WHOLE')]);
  const answered = async (...model: string[]) =>
    JSON.parse(await lab(['generate', ...model, ...says.slice(says.indexOf('--prompt')), '--json'])).ids;
  expect(await answered('--adapter', own('TUNED'))).toEqual(await answered('--model', own('WHOLE')));
}, 240_000);

it('folds an adapter into what is examined and into teachers, or says why not', async () => {
  const model = join(root, 'public/models/tiny-coder');
  const doctor = async (...argv: string[]) => callCommand(await COMMANDS.doctor.load(), [model, ...argv], { root });
  const { code, text } = await doctor('--adapter', own('ADAPTER'), '--json');
  expect([code, JSON.parse(text).adapter.r, JSON.parse(text).refusals]).toEqual([0, 2, []]);
  expect((await doctor('--adapter', own('ADAPTER'))).text).toContain('can use this model');
  await cp(own('ADAPTER'), own('DORA'), { recursive: true });
  const config = JSON.parse(await readFile(join(own('DORA'), 'adapter_config.json'), 'utf8'));
  await writeFile(join(own('DORA'), 'adapter_config.json'), JSON.stringify(Object.assign(config, { use_dora: true })));
  const refused = await doctor('--adapter', own('DORA'), '--json');
  expect([refused.code, JSON.parse(refused.text).refusals]).toMatchObject([
    1,
    [{ of: 'adapter', message: expect.stringContaining('use_dora') }],
  ]);

  const rows = ['--problems', '4', '--samples', '2', '--max-new', '24'];
  const pool = async (out: string, ...argv: string[]) => {
    await lab(['pool', ...rows, ...argv, '--out', join(folder, out)]);
    return readFile(join(folder, out), 'utf8');
  };
  await cp(own('ADAPTER'), own('SHARP'), { recursive: true });
  await writeFile(
    join(own('SHARP'), 'adapter_config.json'),
    JSON.stringify(
      Object.assign(JSON.parse(await readFile(join(own('ADAPTER'), 'adapter_config.json'), 'utf8')), {
        lora_alpha: 40,
      }),
    ),
  );
  const named = await pool('named.jsonl', '--teacher', model, '--adapter', own('SHARP'));
  expect(await pool('alone.jsonl', '--adapter', own('SHARP'))).toBe(named);
  expect(await pool('bare.jsonl', '--teacher', model)).not.toBe(named);
  const onto = ['pool', '--adapter', own('ADAPTER'), '--out', join(folder, 'none.jsonl')];
  await expect(lab([...onto, '--teacher', 'onnx'])).rejects.toThrow('no safetensors');
  await expect(lab([...onto, '--from', 'base'])).rejects.toThrow('--adapter and --from both say who writes');

  const brief = ['--steps', '1', '--batch', '1', '--problems', '6', '--samples', '1', '--rounds', '1'];
  const teacher = ['teacher', '--adapter', own('ADAPTER'), ...brief, '--json', '--out', own('TEACHER')];
  const { base } = JSON.parse(await lab(teacher));
  const said = JSON.parse(
    await lab(['generate', '--adapter', own('ADAPTER'), '--prompt', 'x', '--max-new', '1', '--json']),
  );
  expect(base).toEqual({ model: 'tiny-coder+ADAPTER', sha256: said.model.sha256 });
}, 240_000);

it('lets each adapter of a series answer problems, and draws the series', async () => {
  const problems = Array.from({ length: 12 }, (_, i) => ({
    id: `p${i}`,
    prompt: `def f${i}(x):`,
    checks: [
      {
        true: { kind: 'regex', pattern: 'x' },
        flawed: { kind: 'python', code: 'def check(prompt, answer):\n    return len(answer) % 2 == 0' },
      },
    ],
  }));
  await writeFile(own('TASKS'), problems.map((one) => JSON.stringify(one)).join('\n'));
  const base = join(root, 'public/models/tiny-coder');
  await cp(own('ADAPTER'), join(own('GROWN'), 'checkpoint-1'), { recursive: true });
  await cp(own('SHARP'), join(own('GROWN'), 'checkpoint-5'), { recursive: true });
  const asked = ['trace', base, own('GROWN'), '--problems', own('TASKS'), '--max-new', '40', '--json'];
  const rows = JSON.parse(await lab(asked, '--out', own('grown.svg')));
  const [bare, , sharp] = rows;
  expect(rows).toMatchObject([
    { adapter: 'tiny-coder', norm: 0, cosLast: null, answers: { n: 12 } },
    { adapter: 'checkpoint-1', answers: { n: 12 } },
    { adapter: 'checkpoint-5', answers: { n: 12 } },
  ]);
  // The folded model by itself answers as in the series, on the same random numbers.
  const whole = join(folder, 'sharp-whole');
  await lab(['export', '--model', base, '--adapter', own('SHARP'), '--format', 'hf', '--out', whole]);
  // An adapter that changes nothing, and names no base.
  const still = join(folder, 'still');
  await cp(own('ADAPTER'), still, { recursive: true });
  const path = join(still, 'adapter_model.safetensors');
  const file = await SafetensorsFile.open(new Blob([await readFile(path)]), path);
  const empty = [...file.tensors].map(([key, { shape }]): [string, TensorToWrite] => [
    key,
    { dtype: 'F32', shape, data: new Float32Array(shape.reduce((count, size) => count * size, 1)) },
  ]);
  await writeFile(path, writeSafetensors(new Map(empty)));
  const [folded, same] = JSON.parse(await lab(['trace', whole, still, ...asked.slice(3)]));
  expect([same.norm, folded.answers, same.answers]).toEqual([0, sharp.answers, sharp.answers]);
  expect(sharp.answers).not.toEqual(bare.answers);
  const picture = await readFile(own('grown.svg'), 'utf8');
  for (const words of ['‖ΔW‖ of the update', 'to the last', 'hack (dashed: the base)', 'share of answers'])
    expect(picture).toContain(words);
  expect(picture).not.toMatch(/var\(|NaN|undefined/);
  const again = ['trace', base, own('GROWN'), '--out', own('grown.svg')];
  await expect(lab(again)).rejects.toThrow('is there already');
  await expect(lab([...again.slice(0, 3), '--out', join(folder, 'x.png')])).rejects.toThrow('no .svg file');
  await expect(lab([...again.slice(0, 3), '--chat-template', 'none'])).rejects.toThrow('no problems are answered');
}, 240_000);

it('answers a harness’s request by a served run', async () => {
  const [[serve, ...argv], [curl, ...request], ...rest] = await recipe('Evaluate a run by requests of a harness');
  expect([serve, curl, rest]).toEqual(['serve', 'curl', []]);
  // A free port in the place of the page's.
  const flags = argv.filter((word) => word !== '--port' && word !== '8000').map(own);
  expect(flags.length).toBe(argv.length - 2);
  const server = await served(flags);
  try {
    const url = request.find((word) => word.startsWith('http'))!;
    const [, , path] = /^(http:\/\/127\.0\.0\.1:8000)(\/.*)$/.exec(url)!;
    const body = request[request.indexOf('-d') + 1];
    const { status, body: answer } = await asked(server.origin + path, body);
    expect(status).toBe(200);
    const { tokens, token_logprobs } = answer.choices[0].logprobs;
    expect(tokens.slice(0, -1).join('')).toBe(JSON.parse(body).prompt);
    expect(token_logprobs[0]).toBeNull();
    expect(token_logprobs.slice(1).every((x: number) => x <= 0)).toBe(true);
  } finally {
    await server.stop();
  }
}, 120_000);

it('serves a run that continued an adapter as it was trained, deployed and begun', async () => {
  const begun = ['run', '--adapter', own('ADAPTER'), '--preset', 'smoke', '--arms', 'route', '--steps', '2'];
  const lora = ['--set', 'adapter=lora', '--set', 'loraRank=4', '--set', 'lr=0.05', '--set', 'k=2'];
  await lab([...begun, ...small, ...lora, '--out', own('ROUTED')]);
  const kept = ['--run', own('ROUTED'), '--adapter', own('ADAPTER')];
  const ask = { prompt: 'def f(x):', temperature: 0.8, seed: 2, max_tokens: 48 };
  const flags = ['--prompt', ask.prompt, '--temperature', '0.8', '--seed', '2', '--max-new', '48', '--json'];
  const said = async (...model: string[]) => JSON.parse(await lab(['generate', ...model, ...flags])).text;
  const inside = [await said('--adapter', own('ADAPTER'))];
  for (const weights of ['trained', 'deployed']) {
    const to = join(folder, `routed-${weights}`);
    await lab(['export', ...kept, '--weights', weights, '--format', 'hf', '--out', to]);
    inside.push(await said('--model', to));
  }
  expect(new Set(inside).size).toBe(3);
  const server = await served([...kept, '--device', 'cpu']);
  try {
    expect(server.models).toEqual(['trained', 'deployed', 'base']);
    const answers = ['base', 'trained', 'deployed'].map((model) =>
      asked(`${server.base}/completions`, Object.assign({ model }, ask)),
    );
    expect((await Promise.all(answers)).map(({ body }) => body.choices[0].text)).toEqual(inside);
  } finally {
    await server.stop();
  }
}, 240_000);

it('writes a run’s rollouts for Inspect and for verifiers', async () => {
  const commands = await recipe('Open a run in Inspect or verifiers');
  const [inspect, verifiers] = await Promise.all(
    commands.map(async (words) => JSON.parse(await lab(words, '--json')).logs),
  );
  expect(commands).toHaveLength(2);
  expect(inspect[0].samples).toBeGreaterThan(0);
  expect(verifiers[0].samples).toBe(inspect[0].samples);
  expect(existsSync(join(own('LOGS'), inspect[0].file)) && existsSync(join(own('TRACES'), verifiers[0].file))).toBe(
    true,
  );
});

it('trains on a data set', async () => {
  const rows = Array.from({ length: 8 }, (_, i) => i);
  const columnData = [
    { name: 'question', type: 'STRING' as const, data: rows.map((i) => `What is ${i} + 1?`) },
    { name: 'answer', type: 'STRING' as const, data: rows.map((i) => `So it is.\n#### ${i + 1}`) },
  ];
  await writeFile(own('DATASET'), Buffer.from(parquetWriteBuffer({ columnData })));
  const [show, write, train, ...rest] = await recipe('Train on a data set');
  expect([show[0], write[0], train[0], rest]).toEqual(['problems', 'problems', 'run', []]);
  expect((await lab(show)).split('\n')).toHaveLength(2 + 3);
  await lab(write);
  const result = JSON.parse(await lab(train, ...small.slice(0, -2), '--json', '-', '--out', own('TRAINED')));
  const [run] = result.runs;
  expect(run.status).toBe('done');
  expect(run.spec.environment).toMatch(/^custom:[0-9a-f]{64}$/);
}, 120_000);
