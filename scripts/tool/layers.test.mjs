import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFile, checkTree, circlesOf, importsOf, MAY_IMPORT, ROOMS, roomCircles } from './layers.mjs';
import { at } from './project.mjs';

describe('layers', () => {
  it('finds every form of import, and none in comments', () => {
    const source = `
      // import x from '../a.ts'
      /* export * from '../b.ts' */
      import '../c.css';
      import type { D } from '../d.ts';
      import {
        e,
      } from "../e.ts";
      export * from '../f.ts';
      const g = await import('../g.ts');
      new Worker(new URL('../h.ts', import.meta.url));
      const text = "https://x.org//y";`;
    expect(importsOf(source).map((i) => i.specifier)).toEqual([
      '../c.css',
      '../d.ts',
      '../e.ts',
      '../f.ts',
      '../g.ts',
      '../h.ts',
    ]);
    expect(importsOf(source)[0].line).toBe(4);
  });

  it.each([
    ['src/engine/a.ts', `import { x } from '../algorithms/b.ts';`, /src\/engine may not import src\/algorithms/],
    ['src/kernels/cpu/a.ts', `export * from '../../engine/b.ts';`, /src\/kernels may not import src\/engine/],
    [
      'src/experiments/a.ts',
      `import type { L } from '../lab/protocol.ts';`,
      /src\/experiments may not import src\/lab/,
    ],
    ['src/lab/a.ts', `const x = await import('../store/b.ts');`, /src\/lab may not import src\/store/],
    ['src/lab/a.ts', `import { useState } from 'react';`, /react is only for src\/ui/],
    ['src/store/a.ts', `import { LineChart } from 'recharts';`, /recharts is only/],
    ['src/store/a.tsx', '', /JSX belongs/],
    ['src/kernels/ops.ts', `import { linearCases } from './contract/linear.cases.ts';`, /is only for tests/],
    ['src/engine/a.ts', `import { readFileSync } from 'node:fs';`, /node:fs is only/],
    ['src/lab/a.ts', `import { x } from '../environments/code/grading/node-grader.node.ts';`, /runs in Node alone/],
    ['src/engine/a.ts', `import { x } from './testing/models.ts';`, /only for tests/],
    ['src/engine/a.ts', `import { x } from './b';`, /lacks its extension/],
    ['src/misc/a.ts', '', /src\/misc is no layer/],
    [
      'src/environments/lookup/a.ts',
      `import { x } from '../../ui/App.tsx';`,
      /src\/environments may not import src\/ui/,
    ],
    ['src/experiments/environments/a.ts', `import('../../store/b.ts');`, /src\/experiments may not import src\/store/],
    ['src/cli/a.ts', `import { x } from '../ui/b.ts';`, /src\/cli may not import src\/ui/],
    ['src/experiments/config/a.ts', `import { x } from '../loop/b.ts';`, /config may not import loop/],
    [
      'src/experiments/exit/a.ts',
      `import { x } from '../pools/b.ts';`,
      /exit may not import pools, which stands above or beside/,
    ],
    ['src/experiments/loop/a.ts', `import { x } from '../attic/b.ts';`, /experiments\/attic has no place in ROOMS/],
    ['src/environments/code/a.ts', `import('../registry.ts');`, /code may not import registry.ts/],
    [
      'src/environments/code/families/a.ts',
      `import { x } from '../data.ts';`,
      /environments\/code: families may not import \., which stands above/,
    ],
    ['src/cli/sweep/folder.ts', `import { x } from './queue/a.ts';`, /cli\/sweep: \. may not import queue/],
    ['src/environments/larger/a.ts', `import { x } from '../smaller/b.ts';`, /larger may not import smaller/],
    ['src/store/agents/a.ts', `import { x } from '../bases/b.ts';`, /store: agents may not import bases/],
    ['src/store/kinds/a.ts', `import { x } from '../agents/b.ts';`, /store: kinds may not import agents/],
    ['src/ui/parts/a.tsx', `import { x } from '../watch/B.tsx';`, /ui: parts may not import watch/],
    ['src/kernels/cpu/a.ts', `import { x } from '../webgpu/b.ts';`, /kernels: cpu may not import webgpu/],
    ['src/cli/cat/a.ts', `import { x } from '../instructions.ts';`, /cli: cat may not import instructions.ts/],
    ['packages/are/src/events/a.ts', `import { x } from '../environment.ts';`, /events may not import environment.ts/],
    ['packages/are/src/agents/a.ts', `import { open } from 'node:fs/promises';`, /node:fs\/promises is only for/],
    ['packages/are/src/agents/a.ts', `import { x } from '../cli/b.ts';`, /agents may not import cli/],
    ['packages/are/src/cli/a.ts', `import { x } from '../../../../src/cli/b.ts';`, /leaves the package/],
    ['src/lab/a.ts', `import { x } from '@projected-grpo-lab/are/cli/b.ts';`, /runs in Node alone/],
  ])('refuses a planted violation in %s: %s', (path, source, message) => {
    expect(checkFile(path, source).join('\n')).toMatch(message);
  });

  it.each([
    ['src/engine/a.ts', `import { x } from '../kernels/device.ts'; import y from '../../shaders/a.wgsl?raw';`],
    ['src/engine/a.test.ts', `import { x } from './testing/models.ts';`],
    ['src/lab/testing/lab.ts', `import { x } from '../../storage/sources.node.ts';`],
    ['src/engine/a.test.ts', `import { readFileSync } from 'node:fs';`],
    ['src/storage/sources.node.ts', `import { open } from 'node:fs/promises';`],
    ['src/cli/a.ts', `import { x } from '../storage/sources.node.ts'; import fs from 'node:fs';`],
    ['src/ui/a.tsx', `import { useState } from 'react'; import { y } from '../store/b.ts';`],
    ['src/main.tsx', `import { App } from './ui/App.tsx';`],
    ['src/environments/registry.ts', `export { CODE } from './code/presentation.ts';`],
    ['src/environments/larger/data.ts', `import { FENCE } from '../code/fence.ts';`],
    ['src/store/page/a.ts', `import { x } from '../agents/b.ts'; import { y } from '../bases/b.ts';`],
    ['src/store/agents/a.ts', `import { x } from '../runs/b.ts';`],
    ['packages/are/src/environment.ts', `import type { Event } from './events/types.ts';`],
    ['packages/are/src/cli/a.ts', `import { open } from 'node:fs/promises'; import { x } from '../agents/b.ts';`],
    ['src/cli/agents/a.ts', `import { x } from '@projected-grpo-lab/are/cli/b.ts';`],
    ['packages/are/src/events/a.test.ts', `import { x } from '../environment.ts';`],
    ['bench/a.ts', `import { x } from '../src/ui/b.ts';`],
  ])('accepts %s: %s', (path, source) => {
    expect(checkFile(path, source)).toEqual([]);
  });

  it('finds a circle of files, also one of types only, and names its path', () => {
    const sources = new Map([
      ['src/lab/a.ts', `import type { B } from './deep/b.ts';`],
      ['src/lab/deep/b.ts', `import { c } from '../c.ts';`],
      ['src/lab/c.ts', `export type { A } from './a.ts';`],
      ['src/lab/d.ts', `import type { A } from './a.ts';`],
    ]);
    expect(circlesOf(sources)).toEqual([
      'src/lab/a.ts: a circle of 3 file(s): src/lab/a.ts → src/lab/deep/b.ts → src/lab/c.ts → src/lab/a.ts. Move what both need into a file of its own.',
    ]);
    sources.set('src/lab/c.ts', '');
    expect(circlesOf(sources)).toEqual([]);
  });

  it('finds folders that import each other, though no files do, and demands an order', () => {
    const sources = new Map([
      ['src/ui/keep/a.tsx', `import { b } from './rows/b.tsx';`],
      ['src/ui/keep/rows/b.tsx', `import { c } from '../c.ts';`],
      ['src/ui/keep/c.ts', ''],
      ['src/ui/keep/rows/b.test.ts', `import { a } from '../a.tsx';`],
    ]);
    expect(roomCircles(sources)).toEqual([
      'src/ui/keep: its parts import each other: . → rows → .. Move what both need, or give it an order in ROOMS.',
    ]);
    sources.set('src/ui/keep/rows/b.tsx', '');
    expect(roomCircles(sources)).toEqual([]);
  });

  it('names no room that does not exist, and none twice', () => {
    for (const [folder, order] of Object.entries(ROOMS)) {
      const names = order.split(/[ |]/);
      expect(new Set(names).size, folder).toBe(names.length);
      const [top, name, ...within] = folder.split('/');
      const path = top === 'packages' ? [top, name, 'src', ...within].join('/') : `src/${folder}`;
      const gone = names.filter((room) => room !== '*' && !existsSync(at(`${path}/${room}`)));
      expect(gone, folder).toEqual([]);
    }
  });

  it('has no cycle among the layers', () => {
    const done = new Set();
    const visit = (layer, path) => {
      if (path.includes(layer)) throw new Error(`cycle: ${[...path, layer].join(' → ')}`);
      if (done.has(layer)) return;
      // The four leaves may use each other.
      for (const next of MAY_IMPORT[layer])
        if (!['lib', 'rng', 'stats', 'text'].includes(next)) visit(next, [...path, layer]);
      done.add(layer);
    };
    for (const layer of Object.keys(MAY_IMPORT)) visit(layer, []);
    expect(done.size).toBe(Object.keys(MAY_IMPORT).length);
  });

  it('walks a tree', () => {
    const root = mkdtempSync(join(tmpdir(), 'layers-'));
    try {
      for (const [path, text] of [
        ['src/rng/deep/down/a.ts', `import { x } from '../../../ui/b.ts';\n`],
        ['src/ui/b.ts', 'export const x = 1;\n'],
      ]) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      expect(checkTree(root)).toEqual(['src/rng/deep/down/a.ts:1: src/rng may not import src/ui (../../../ui/b.ts)']);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
