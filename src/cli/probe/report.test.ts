// Published probes and the page of docs that reports them: every table equals the output of `probe --report`, computed from the file.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { GAP_AT_LEAST, outcomeOf, thresholdOf } from '../../experiments/kinds/probe/rules.ts';
import { PROBE_INDEX, readProbeIndex, readSeries, summarise } from '../../experiments/kinds/probe/series.ts';
import { CHECKS } from '../../experiments/kinds/probe/types.ts';
import { readPublished, renderSeries } from './probe.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const PUBLISHED = join(root, 'public', 'results', 'probe');

describe('published probes', () => {
  it('stand in docs/lab-book/probe.md as they are printed', async () => {
    const page = await readFile(join(root, 'docs', 'lab-book', 'probe.md'), 'utf8');
    const [, between] = /<!-- probe --report -->\n\n([\s\S]*?)\n\n<!-- end -->/.exec(page) ?? [];
    const published = await readPublished(PUBLISHED);
    expect(between).toBe(published.map(renderSeries).join('\n\n'));
    // The page reads them by their index.
    const files = (await readdir(PUBLISHED)).filter((name) => name !== PROBE_INDEX).sort();
    expect(readProbeIndex(await readFile(join(PUBLISHED, PROBE_INDEX), 'utf8'), 'index')).toEqual(files);
    // Claims about several seeds have several.
    for (const { seeds } of published) expect(new Set(seeds.map(({ seed }) => seed)).size).toBeGreaterThanOrEqual(3);
  });
});

describe('the rules', () => {
  it('give every published check the outcome that it was published with, from its figures', async () => {
    const published = await readPublished(PUBLISHED);
    const all = published.flatMap(({ seeds }) => seeds.flatMap(({ svd, lora }) => [svd, ...(lora ? [lora] : [])]));
    const checks = all.flatMap(({ checks }) => checks).filter(({ outcome }) => outcome !== 'not run');
    for (const { id, outcome, figures } of checks) {
      const { t = null, tNll = null } = figures;
      // Values that a file leaves out: there were enough problems with both kinds, and completions of several lengths.
      const left = { mixedProblems: 20, differing: 1, stronger: t === null || tNll === null ? null : t - tNll };
      // Published values have four digits, so that one may be rounded onto its bound.
      if (figures.gap === GAP_AT_LEAST) continue;
      expect([id, outcomeOf(id, { ...left, ...figures }), figures]).toEqual([id, outcome, figures]);
    }
    expect(new Set(checks.map(({ id, outcome }) => `${id} ${outcome}`)).size).toBeGreaterThan(CHECKS.length);
  });

  it('are told from the same data as they judge', () => {
    expect(thresholdOf('T5')).toBe(
      'Open: “vanilla’s rise by step 15” is not known, or “projected below vanilla by” is not known. Holds: “vanilla’s rise by step 15” is above .20, and “projected below vanilla by” is .10 or more. Fails: else.',
    );
  });
});

const part = (t: number | null, outcome = 'fail') => ({
  checks: CHECKS.map((id) => ({ id, outcome: id === 'T4' ? outcome : 'pass', figures: { t, nPure: 90 } })),
  cos: { vanilla: [0.1], projected: [null] },
  trajectory: null,
});
const series = (seeds: object[]) => ({
  schema: 1,
  source: 'a teacher',
  command: 'npm run lab -- probe',
  app: '1',
  device: 'CPU',
  modelSha256: 'ab',
  problems: 20,
  samples: 160,
  seeds,
});

describe('a series', () => {
  const whole = series([
    { seed: 41, svd: part(1), lora: null },
    { seed: 42, svd: part(3, 'pass'), lora: null },
    { seed: 43, svd: part(null, 'undecided'), lora: null },
  ]);

  it('is summed up by check: how often each verdict fell, and mean ± sd of the seeds that have a figure', () => {
    const read = readSeries(JSON.stringify(whole), 'x');
    const [, , , t4] = summarise(read.seeds.map(({ svd }) => svd));
    expect(t4.outcomes).toEqual({ fail: 1, pass: 1, undecided: 1 });
    expect(t4.figures.t).toEqual({ n: 2, mean: 2, sd: expect.closeTo(Math.SQRT2, 12) });
    const text = renderSeries(read);
    expect(text).toContain(
      '| T4 V tells pure hacks from hacks that solve | holds 1, fails 1, open 1: – (n 90) against',
    );
    expect(text).toContain('t 2.00 ± 1.41');
    expect(text).toContain('Seeds 41, 42, 43');
    expect(text).not.toContain('directions | LoRA |');
  });

  it('is refused where it is not one', () => {
    const refused = (value: unknown) => expect(() => readSeries(JSON.stringify(value), 'x')).toThrow(FormatError);
    refused({ ...whole, seeds: [] });
    refused({ ...whole, schema: 2 });
    refused({ ...whole, seeds: [{ seed: 41, svd: { ...part(1), checks: [] }, lora: null }] });
    expect(() => readSeries('{', 'x')).toThrow(FormatError);
  });
});
