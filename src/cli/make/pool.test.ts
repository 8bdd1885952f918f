// `pool` on the CPU device: from the model, from a kept run and from the templates; and `run --teacher-pool` takes the result.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { poolFromJsonl } from '../../environments/code/pool.ts';
import { sha256 } from '../../storage/sources.ts';
import type { Command } from '../command.ts';
import { readCheckpoint } from '../files/checkpoint.node.ts';
import { readPoolFile } from '../files/pool.node.ts';
import { run } from '../run/run.ts';
import { callCommand } from '../testing/call.ts';
import { pool } from './pool.ts';

const MINUTES = 60_000;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pool-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
const call = async (command: Command, ...argv: string[]) =>
  (await callCommand(command, [...argv, '--device', 'cpu'])).text;
const small = ['--problems', '8', '--samples', '2', '--max-new', '48'];
const smoke = ['--preset', 'smoke', '--arms', 'route', '--steps', '1', '--set', 'problems=8', '--set', 'evalEvery=0'];
const tiny = [...smoke, '--set', 'finalEvalProblems=4', '--set', 'pairs=8', '--set', 'k=2'];

describe('pool', () => {
  it(
    'writes the same rows plain and packed, and a run that names the file says which it used',
    async () => {
      const text = await call(pool, ...small, '--out', at('a.jsonl'));
      expect(text).toContain('8 rows for 4 problems by tiny-coder as it is');
      await call(pool, ...small, '--out', at('a.jsonl.gz'));
      const lines = await readFile(at('a.jsonl'));
      expect(gunzipSync(await readFile(at('a.jsonl.gz')))).toEqual(lines);
      const hash = await sha256(lines);
      for (const name of ['a.jsonl', 'a.jsonl.gz']) expect((await readPoolFile(at(name))).sha256).toBe(hash);

      const ran = JSON.parse(
        await call(run, ...tiny, '--teacher-pool', at('a.jsonl.gz'), '--json', '-', '--out', at('run')),
      );
      expect(ran.runs[0].spec.teacherPool).toBe(hash);
      expect(ran.runs[0].teacherPool).toMatchObject({ sha256: hash, rows: 8, problems: 4, withLogprobs: 8 });

      const from = ['--from', at('run'), '--plain'];
      expect(await call(pool, ...small, ...from, '--model', 'deployed', '--out', at('run.jsonl'))).toContain(
        'tiny-coder after route, seed 41, step 1, deployed',
      );
      const rows = poolFromJsonl(await readFile(at('run.jsonl'), 'utf8'));
      expect(rows).toHaveLength(8);
      expect(rows.every((row) => row.logprobs === undefined && row.grader_version !== undefined)).toBe(true);

      // A run that read plain text is asked in plain text.
      const checkpoint = (await readCheckpoint(at('run/route-41.checkpoint')))!;
      const plain = { ...checkpoint, spec: { ...checkpoint.spec, chatTemplate: 'none' } };
      await mkdir(at('plain'));
      await writeFile(at('plain/route-41.checkpoint'), serialize(plain));
      const asked = ['--from', at('plain'), '--plain', '--model', 'deployed'];
      await call(pool, ...small, ...asked, '--out', at('plain.jsonl'));
      const other = poolFromJsonl(await readFile(at('plain.jsonl'), 'utf8'));
      expect(other.map(({ prompt }) => prompt)).toEqual(rows.map(({ prompt }) => prompt));
      expect(other.map(({ completion }) => completion)).not.toEqual(rows.map(({ completion }) => completion));
    },
    2 * MINUTES,
  );

  it('takes the templates, which are what a run uses without a pool', async () => {
    expect(await call(pool, '--from', 'templates', '--problems', '8', '--out', at('t.jsonl'))).toContain(
      '20 rows for 4 problems by the templates',
    );
    const rows = poolFromJsonl(await readFile(at('t.jsonl'), 'utf8'));
    expect(rows.every((row) => row.exploited && row.mechanism !== null)).toBe(true);
    const lines = await readFile(at('t.jsonl'), 'utf8');
    await writeFile(at('t.jsonl'), lines.replace('a', 'b'));
    await expect(readPoolFile(at('t.jsonl'))).rejects.toThrow(/t\.jsonl is damaged, or was changed/);
    await rm(at('t.jsonl.sha256'));
    await readPoolFile(at('t.jsonl'));
    await writeFile(at('mine.jsonl'), 'my own rows');
    const over = call(pool, '--from', 'templates', '--problems', '8', '--out', at('mine.jsonl'));
    await expect(over).rejects.toThrow(/mine\.jsonl is there already \(11 bytes\)/);
    expect(await readFile(at('mine.jsonl'), 'utf8')).toBe('my own rows');
  });

  it('takes another teacher: the embedded ONNX one, or a folder of either kind', async () => {
    expect(await call(pool, ...small, '--teacher', 'onnx', '--out', at('o.jsonl'))).toContain(
      '8 rows for 4 problems by tiny-hacker, the embedded ONNX teacher',
    );
    const rows = poolFromJsonl(await readFile(at('o.jsonl'), 'utf8'));
    expect(rows.some(({ exploited }) => exploited)).toBe(true);
    expect(rows.every((row) => row.logprobs?.length === row.completion_ids?.length)).toBe(true);
    const models = fileURLToPath(new URL('../../../public/models', import.meta.url));
    await call(pool, ...small, '--teacher', join(models, 'tiny-hacker'), '--out', at('d.jsonl'));
    expect(await readFile(at('d.jsonl'))).toEqual(await readFile(at('o.jsonl')));
    // The untrained adapter parameters are the model to the bit.
    await call(pool, ...small, '--teacher', join(models, 'tiny-coder'), '--out', at('h.jsonl'));
    await call(pool, ...small, '--from', 'base', '--out', at('b.jsonl'));
    expect(await readFile(at('h.jsonl'))).toEqual(await readFile(at('b.jsonl')));
  });

  it('refuses what it cannot do, with the reason', async () => {
    const refused = async (
      work: Promise<unknown>,
      says: RegExp,
      kind: typeof SpecError | typeof FormatError = SpecError,
    ) => {
      const error: unknown = await work.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(kind);
      expect(String(error)).toMatch(says);
    };
    await refused(call(pool), /--out is missing/);
    await refused(call(pool, '--out', at('a.csv')), /no known ending/);
    await refused(call(pool, '--from', at('nowhere'), '--out', at('x.jsonl')), /no such folder/);
    await refused(call(pool, '--from', folder, '--out', at('x.jsonl')), /keeps 0 runs/);
    const checkpoint = (await readCheckpoint(at('run/route-41.checkpoint')))!;
    await mkdir(at('foreign'));
    const foreign = { ...checkpoint, spec: { ...checkpoint.spec, model: 'qwen' } };
    await writeFile(at('foreign/route-41.checkpoint'), serialize(foreign));
    await refused(call(pool, '--from', at('foreign'), '--out', at('x.jsonl')), /trained on qwen, .* no embedded model/);
    const two = ['--teacher', 'onnx', '--from', 'base'];
    await refused(call(pool, ...two, '--out', at('x.jsonl')), /both say who writes/);
    await refused(call(pool, '--teacher', at('nowhere'), '--out', at('x.jsonl')), /no such folder/);
    await refused(call(pool, '--teacher', folder, '--out', at('x.jsonl')), /neither an ONNX file nor safetensors/);
    await refused(call(pool, '--honest-share', '1', '--out', at('x.jsonl')), /none that is hackable/);
    await refused(readPoolFile(at('missing.jsonl')), /cannot be read/);
    await writeFile(at('bad.jsonl'), '{"problem_id": 1}\n');
    await refused(readPoolFile(at('bad.jsonl')), /bad\.jsonl: line 1/, FormatError);
    await writeFile(
      at('odd.jsonl'),
      `${(await readFile(at('a.jsonl'), 'utf8')).split('\n')[0].replace(/"logprobs":\[[^,]*,/, '"logprobs":[')}\n`,
    );
    await refused(readPoolFile(at('odd.jsonl')), /logprobs for \d+ completion_ids/, FormatError);
  });
});
