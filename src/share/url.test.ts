import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { ARM_NAMES, ARMS } from '../experiments/config/arms.ts';
import { isOffered } from '../experiments/config/preset-in.ts';
import { PRESET_NAMES } from '../experiments/config/run-spec.ts';
import { type ExperimentSpec, parseExperimentSpec } from '../experiments/config/spec.ts';
import { asksToStart, encodeSpec } from './spec-link.ts';
import { decodeSpec } from './url.ts';

/** base64url of deflate-raw, made without the module under test. */
async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return Buffer.from(await new Response(stream).arrayBuffer()).toString('base64url');
}
const arms = (haveOwnAdapter: boolean) =>
  ARM_NAMES.filter((arm) => isOffered('one-line-python', arm) && 'adapter' in ARMS[arm].settings === haveOwnAdapter);
const specs: ExperimentSpec[] = [
  ...PRESET_NAMES.filter((preset) => preset !== 'fast' && preset !== 'full').map((preset) =>
    parseExperimentSpec({ preset }),
  ),
  parseExperimentSpec({
    preset: 'classic',
    arms: ['route'],
    seeds: [7, 8],
    overrides: { k: 16, lr: 0.01 },
    device: 'cpu',
  }),
  // A model is loaded with one adapter, so arms with their own adapter are a separate experiment.
  parseExperimentSpec({ preset: 'capability', arms: arms(true) }),
  parseExperimentSpec({ preset: 'demo', arms: arms(false), overrides: { modes: ['sentinel', 'exit_code'] } }),
];

describe('spec in the address', () => {
  it('survives encoding, for every preset without a real model and for changed ones', async () => {
    for (const spec of specs) {
      const fragment = await encodeSpec(spec);
      expect(fragment).toMatch(/^1\.[\w-]+$/);
      expect(await decodeSpec(`#${fragment}`)).toEqual(spec);
    }
  });

  it('names the version that made an unreadable link', async () => {
    const refused = (json: object) => pack(JSON.stringify(json)).then((text) => decodeSpec(`#2.${text}`));
    await expect(refused({ p: 'demo', o: { optionOfTomorrow: 1 }, v: '9.8.7' })).rejects.toThrow(
      /optionOfTomorrow.* The link was made by version 9\.8\.7 of the lab\.$/,
    );
    await expect(refused({ p: 'demo', o: { optionOfTomorrow: 1 } })).rejects.not.toThrow(/made by/);
  });

  it('is short for the default experiment', async () => {
    expect((await encodeSpec(parseExperimentSpec({}))).length).toBeLessThan(24);
  });

  it.each([
    ['', /not a link/],
    ['#', /not a link/],
    ['#rollouts', /not a link/],
    ['#3.abcd', /version 3, this lab reads versions 1 and 2/],
    ['#2.abcd', /damaged/],
    ['#1.', /damaged/],
    ['#1.%%%%', /damaged/],
    ['#1.AAAA', /damaged/],
    [`#1.${'A'.repeat(20_000)}`, /20002 characters/],
  ])('refuses %j', async (fragment, message) => {
    const error = await decodeSpec(fragment).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(SpecError);
    expect((error as SpecError).message).toMatch(message);
  });

  it('refuses every truncation of a link with a SpecError', async () => {
    const whole = await encodeSpec(specs.at(-2)!);
    for (let cut = 0; cut < whole.length; cut++) {
      await expect(decodeSpec(whole.slice(0, cut))).rejects.toBeInstanceOf(SpecError);
    }
  });

  it.each([
    '[]',
    'null',
    '7',
    '{"x":1}',
    '{"p":"nope"}',
    '{"p":"demo","o":{"steps":-1}}',
    '{"p":"demo","o":{"__proto__":1,"nope":2}}',
    '{',
  ])('refuses the content %s', async (json) => {
    await expect(decodeSpec(`1.${await pack(json)}`)).rejects.toBeInstanceOf(SpecError);
  });

  it('does not inflate a bomb', async () => {
    // 10 MB of spaces become 10 kB.
    const bomb = `1.${await pack(`{"p":"demo"${' '.repeat(1e7)}}`)}`;
    expect(bomb.length).toBeLessThan(16_384);
    await expect(decodeSpec(bomb)).rejects.toThrow(/damaged/);
  });

  it('reads the request to start', () => {
    expect(asksToStart(new URL('http://localhost:5173/?start'))).toBe(true);
    expect(asksToStart(new URL('http://localhost:5173/#start'))).toBe(false);
  });
});
