// Compiles every WGSL program with naga, the compiler of Firefox and wgpu, which is stricter than Chrome's in some points. Deno contains naga:
// `npm install -g deno`, or LAB_DENO names the program. The test is skipped with a message without Deno, or if that finds no adapter, since only a
// device compiles.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { kernelCases } from '../testing/cases.ts';
import { MATMUL_VARIANTS, type MatmulVariant, matmulEverywhere } from './matmul.ts';
import { packedEverywhere } from './packed-products.ts';
import { createPrograms } from './programs.ts';
import type { Dispatch, Shader, Traits } from './shader.ts';

const DENO = process.env.LAB_DENO ?? 'deno';
const COMPILE = `
const codes = JSON.parse(Deno.readTextFileSync(Deno.args[0]));
const adapter = await navigator.gpu?.requestAdapter();
if (!adapter) { console.log(JSON.stringify({ why: 'deno finds no adapter' })); Deno.exit(0); }
const hasSubgroups = adapter.features.has('subgroups');
const device = await adapter.requestDevice({ requiredFeatures: hasSubgroups ? ['subgroups'] : [] });
const refused = [];
let compiled = 0;
for (const { label, code } of codes) {
  if (!hasSubgroups && code.includes('enable subgroups')) continue;
  device.pushErrorScope('validation');
  device.createShaderModule({ code });
  const error = await device.popErrorScope();
  compiled++;
  if (error) refused.push(label + ': ' + error.message);
}
console.log(JSON.stringify({ compiled, refused }));
Deno.exit(0);`;

/** Every program that any device may compile: for real GPUs and software adapters, with barriers and subgroups, and every product. */
function everyShader(): Shader[] {
  const codes = new Map<string, Shader>();
  const all: Traits[] = [true, false].flatMap((software) =>
    [0, 32].map((subgroup) => ({ software, quads: software && subgroup > 0, subgroup, attention: 1 })),
  );
  for (const variant of MATMUL_VARIANTS as readonly MatmulVariant[]) {
    const programs = createPrograms(
      () => matmulEverywhere(variant),
      () => packedEverywhere(variant),
    );
    for (const traits of all) {
      const warmed = Object.values(programs).flatMap((program) => program.shaders(traits, [3, 4, 32, 64, 128]));
      const used = kernelCases().flatMap(({ kernel, params }) => {
        const plan = programs[kernel].plan as (params: object, traits: Traits) => readonly Dispatch[];
        return plan(params, traits).map(({ shader }) => shader);
      });
      for (const one of [...warmed, ...used]) codes.set(one.code, one);
    }
  }
  return [...codes.values()];
}

const hasDeno = spawnSync(DENO, ['--version']).status === 0;
if (!hasDeno) console.warn(`naga is not asked: there is no ${DENO} (npm install -g deno, or LAB_DENO).`);

it.skipIf(!hasDeno)('naga compiles every program', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'naga-'));
  try {
    const shaders = everyShader();
    writeFileSync(join(folder, 'codes.json'), JSON.stringify(shaders.map(({ label, code }) => ({ label, code }))));
    writeFileSync(join(folder, 'compile.js'), COMPILE);
    const args = ['run', '--unstable-webgpu', '--allow-all', join(folder, 'compile.js'), join(folder, 'codes.json')];
    const { stdout, stderr, status } = spawnSync(DENO, args, { encoding: 'utf8', timeout: 120_000 });
    expect(status, stderr).toBe(0);
    const answer = JSON.parse(stdout.trim().split('\n').at(-1) as string) as
      | { why: string }
      | { compiled: number; refused: string[] };
    if ('why' in answer) {
      console.warn(`naga is not asked: ${answer.why}.`);
      return context.skip();
    }
    expect(answer.refused).toEqual([]);
    expect(answer.compiled).toBeGreaterThan(100);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
