// What stands in an address, and what a spec is made from: experiments with and without results, probes asked for and probes' results.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { parseExperimentSpec } from '../../src/experiments/config/spec.ts';
import { runMade } from '../../src/experiments/testing/statistics-runs.ts';
import { unpackJson } from '../../src/share/pack.ts';
import { decodeProbe, encodeProbe } from '../../src/share/shared-probe.ts';
import { encodeSpec } from '../../src/share/spec-link.ts';
import { decodeShare, encodeRuns } from '../../src/share/url.ts';
import { probeInAddress, withProbe } from '../../src/store/kinds/probe/link.ts';
import type { Reader } from '../judge.ts';
import { bytesOf, mutateJson, mutateText, textOf } from '../mutate.ts';
import type { Random } from '../random.ts';
import { REPORT, ROWS } from './archives.ts';
import { SHA } from './made.ts';

const SPEC = parseExperimentSpec({ preset: 'demo', arms: ['route'], seeds: [41, 42], overrides: { k: 4, lr: 0.01 } });
const WORDS = [
  'demo',
  'smoke',
  'route',
  'none',
  'erase',
  'steps',
  'seeds',
  'o',
  'r',
  '1.',
  '2.',
  'probe1.',
  '%',
  '#',
  '-',
  '_',
  'A',
];

/** A packed JSON with its value changed and packed again, or its text changed. */
async function mutatePacked(whole: string, prefix: string, random: Random): Promise<Uint8Array> {
  if (random.oneIn(4)) return bytesOf(mutateText(whole, WORDS, random));
  const json = JSON.stringify(await unpackJson(whole.slice(prefix.length)));
  return bytesOf(prefix + (await packText(mutateJson(json, random, WORDS))));
}

async function packText(json: string): Promise<string> {
  const stream = new Blob([json]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

const links = Promise.all([
  encodeSpec(SPEC),
  encodeRuns(parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41] }), [
    runMade({ hack: [0.1, 0.2, 0.3], change: { modelSha256: SHA } }),
  ]).then(({ hash }) => hash),
]);
const probes = encodeProbe(REPORT, ROWS.vanilla, { device: 'CPU', appVersion: '1' }).then((made) => made!.hash);
const asked = withProbe('http://x/', {
  teacher: { kind: 'templates', correct: 1 },
  problems: 3,
  samples: 2,
  seed: 41,
  settings: { pairs: 8, k: 2 },
} as Parameters<typeof withProbe>[1]).then((href) => new URL(href).searchParams.get('probe')!);

export const LINK_READERS: readonly Reader[] = [
  {
    name: 'link',
    what: 'an experiment in the address, with or without results',
    good: links.then(([, shared]) => bytesOf(shared)),
    async make(random) {
      const link = random.of(await links);
      return mutatePacked(link, link.slice(0, 2), random);
    },
    read: (input) => decodeShare(textOf(input)),
  },
  {
    name: 'probe-link',
    what: 'a probe’s results in the address',
    good: probes.then(bytesOf),
    make: async (random) => mutatePacked(await probes, 'probe1.', random),
    read: (input) => decodeProbe(textOf(input)),
  },
  {
    name: 'probe-query',
    what: 'a probe asked for in the address',
    good: asked.then(bytesOf),
    make: async (random) => mutatePacked(await asked, '', random),
    read: (input) => probeInAddress(`?view=probe&probe=${encodeURIComponent(textOf(input))}`),
  },
  {
    name: 'spec',
    what: 'an experiment’s spec as JSON',
    good: bytesOf(JSON.stringify(SPEC)),
    make: (random) => bytesOf(mutateJson(JSON.stringify(SPEC), random, WORDS)),
    read(input) {
      let value: unknown;
      try {
        value = parseJsonText(textOf(input));
      } catch (cause) {
        throw new FormatError('no JSON', 'Write JSON.', { cause });
      }
      parseExperimentSpec(value);
    },
  },
];
