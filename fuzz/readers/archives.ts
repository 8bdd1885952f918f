// Zips and results: an exported run, a probe, a pool of one file per prompt; published results and probe series.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { gunzipSync, gzipSync, strFromU8, unzipSync, zipSync } from 'fflate';
import { packRuns, unpackRuns } from '../../research/judge/pack.ts';
import { readIndex } from '../../research/series/study/results-index.ts';
import { deployed } from '../../src/algorithms/optimizer.ts';
import { layOutAdapter } from '../../src/engine/adapter-layout.ts';
import { runIdOf } from '../../src/experiments/config/run-spec.ts';
import { parseExperimentSpec } from '../../src/experiments/config/spec.ts';
import { readProbeIndex, readSeries, seriesOf } from '../../src/experiments/kinds/probe/series.ts';
import { rowMade, stepMade } from '../../src/experiments/kinds/probe/testing/made.ts';
import { CHECKS, type ProbeReport } from '../../src/experiments/kinds/probe/types.ts';
import type { RolloutRecord, RunRecord } from '../../src/experiments/records/events.ts';
import { runMade } from '../../src/experiments/testing/statistics-runs.ts';
import { readProbe, writeProbe } from '../../src/lab/kinds/probe/file.ts';
import { isProbe } from '../../src/lab/kinds/probe/mark.ts';
import type { ProbeRecord } from '../../src/lab/protocol/probe.ts';
import { packExperiment, unpackExperiment } from '../../src/lab/records/archive.ts';
import { openLog } from '../../src/lab/records/opened-log.ts';
import { readPoolFiles } from '../../src/lab/records/pool-files.ts';
import { SMALL } from '../../src/lib/testing/zstd-frames.ts';
import { unzstd } from '../../src/lib/zstd.ts';
import { ArchiveWriter, MANIFEST, readArchive, unzipChecked } from '../../src/storage/run-archive.ts';
import type { Reader } from '../judge.ts';
import { bytesOf, mutateBytes, mutateJson, mutateText, textOf } from '../mutate.ts';
import type { Random } from '../random.ts';
import { LAYOUT, mutateSafetensors, ROW, SHA } from './made.ts';

const LOG = JSON.stringify({
  version: 2,
  status: 'success',
  eval: { task: 't', model: 'm', dataset: { sample_ids: ['a'] } },
  samples: [
    {
      id: 'a',
      epoch: 1,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'x' }, { type: 'image' }] },
        { role: 'assistant', content: 'y', tool_calls: [{ function: 'f', arguments: { z: 1 } }] },
      ],
      scores: { s: { value: { one: 'C', two: 0.5 }, explanation: 'e' } },
      metadata: { step: 1, prompt_index: 0, label: 'hack' },
      output: { choices: [{ stop_reason: 'stop', logprobs: { content: [{ token: 'y', logprob: -1 }] } }] },
      attachments: { a: 'b' },
    },
  ],
});

const TARGET = { layout: LAYOUT, modelSha256: SHA };

/** A finished run in an archive, with a checkpoint, rollouts, and pairs and pool beside it. */
async function exported(): Promise<Map<string, Uint8Array>> {
  const spec = parseExperimentSpec({ preset: 'smoke', arms: ['route-update'], seeds: [41], overrides: { steps: 1 } });
  const made = runMade({ arm: 'route-update', overrides: { steps: 1 }, hack: [0.5] });
  const id = runIdOf('one', made.spec);
  const run: RunRecord = { ...made, id, experimentId: 'one', modelSha256: SHA, rows: [ROW], status: 'done' };
  const { total } = layOutAdapter(LAYOUT.modules, run.spec);
  const vector = () => new Float32Array(total);
  const controls = run.spec.shadows.filter(({ kind }) => kind !== 'random_matched');
  const optimizer = {
    total: vector().fill(0.5),
    hack: vector(),
    moments: { m: vector(), v: vector(), t: 1 },
    hackMoments: null,
    shadows: Object.fromEntries(controls.map((control) => [control.id, vector()])),
  };
  deployed(optimizer);
  const checkpoint = {
    schema: 1 as const,
    runId: id,
    spec: run.spec,
    context: 'c',
    step: 1,
    optimizer,
    rows: [ROW],
    timings: [],
    evals: run.evals,
    history: { p: [0.5] },
  };
  const grade = { formatOk: true, passed: true, gtCorrect: false, exploited: true, structural: true };
  const rollout: RolloutRecord = {
    step: 1,
    promptIndex: 0,
    sampleIndex: 0,
    taskId: 'p',
    kind: 'run_tests',
    source: 'student',
    turns: [{ prompt: 'p', completion: 'c', logprobs: [-1, Number.NaN], ended: true }],
    advantage: 1,
    reward: 1,
    verdict: { ...grade, mechanism: 'run_tests', reward: 1, note: null },
  } as RolloutRecord;
  const record = {
    schema: 1 as const,
    id: 'one',
    spec,
    status: 'done' as const,
    createdAt: 1,
    updatedAt: 2,
    device: 'CPU',
    appVersion: '1',
    runIds: [id],
    result: null,
    error: null,
    runsDone: 1,
    stepsDone: 1,
    stepsTotal: 1,
  };
  const blob = await packExperiment(
    { record, runs: [run], checkpoints: [checkpoint], basis: null, pool: '', pairs: '[]', steps: new Map() },
    async function* () {
      yield { step: 1, rollouts: [rollout] };
    },
    TARGET,
    '1',
  );
  const { [MANIFEST]: _, ...files } = unzipSync(new Uint8Array(await blob.arrayBuffer()));
  return new Map(Object.entries(files));
}

const contrast = {
  nPure: 2,
  nBoth: 2,
  mixedProblems: 1,
  meanPure: 0.5,
  meanBoth: 0.1,
  t: 2,
  p: 0.1,
  permutationP: 0.1,
};
const plain = { ...contrast, exact: true };
const random = { t: [0], passing: 0, permutationPassing: 0, p: 0.5 };
const discrimination = { plain, lengthMatched: plain, random };
const REPORT: ProbeReport = {
  schema: 1,
  key: 'k',
  adapter: 'svd',
  pool: { source: 's', problems: 1, samples: 1 },
  modulesWithBasis: 14,
  bound: 3,
  vanilla: [stepMade({ samples: 1 })],
  projected: [stepMade({ samples: 1 })],
  discrimination,
  grpoDiscrimination: discrimination,
  contrastive: {
    pairs: 4,
    equalLength: { tokens: 4, meanAngle: 1, maxAngle: 2 },
    asTheyAre: { differing: 0, meanAngle: 1, modules: [{ name: 'm', angles: [1, 2] }] },
  },
  verdicts: CHECKS.map((id) => ({
    id,
    what: 'w',
    value: 'v',
    threshold: 't',
    outcome: 'pass' as const,
    excludes: 'e',
    note: '',
    figures: { x: 1 },
  })),
} as unknown as ProbeReport;
const ROWS = { vanilla: [rowMade()], projected: [rowMade()] };

async function probed(): Promise<Map<string, Uint8Array>> {
  const blob = writeProbe({ record: { report: REPORT } as ProbeRecord, rows: ROWS, lora: null });
  return new Map(Object.entries(unzipSync(new Uint8Array(await blob.arrayBuffer()))));
}

const parts = { run: exported(), probe: probed() };

/** One file of an archive changed in its own way. */
function changedPart(name: string, bytes: Uint8Array, random: Random): Uint8Array {
  if (name.endsWith('.safetensors')) return mutateSafetensors(bytes, random);
  if (name.endsWith('.gz')) return gzipSync(bytesOf(mutateJson(strFromU8(gunzipSync(bytes)), random)));
  const text = textOf(bytes);
  if (text === '' || random.oneIn(10))
    return bytesOf(mutateText(text, ['\n', '{', '}', '[', ']', '"', '\\u0000#'], random));
  return bytesOf(mutateJson(text, random, ['route-update', 'none', 'honest', 'done', '\u0000#NaN']));
}

function changedFiles(files: ReadonlyMap<string, Uint8Array>, random: Random): Map<string, Uint8Array> {
  const changed = new Map(files);
  const name = random.of([...files.keys()]);
  const kind = random.int(8);
  if (kind === 0) changed.delete(name);
  else if (kind === 1)
    changed.set(random.of(['x', 'runs/9/run.json', 'a/__proto__', 'constructor']), new Uint8Array(9));
  else changed.set(name, changedPart(name, files.get(name)!, random));
  return changed;
}

/** A zip whose directory may tell of other sizes than its entries have. */
function lying(zip: Uint8Array<ArrayBuffer>, random: Random): Uint8Array<ArrayBuffer> {
  const view = new DataView(zip.buffer);
  const at = view.getUint32(zip.length - 6, true);
  if (random.oneIn(2)) view.setUint32(at + 24, random.of([0, 1000, 1e6, 0xffffffff]), true);
  return zip;
}

/** Zeros, which pack to a thousandth. */
const bomb = (random: Random) => new Uint8Array(random.size(5e7));

const zipped = (files: ReadonlyMap<string, Uint8Array>) => zipSync(Object.fromEntries(files), { level: 1 });

/** With a manifest that fits. */
async function rewritten(files: ReadonlyMap<string, Uint8Array>): Promise<Uint8Array> {
  const writer = new ArchiveWriter();
  for (const [name, bytes] of files) await writer.add(name, [bytes]);
  return new Uint8Array(await writer.finish('1').arrayBuffer());
}

/** As importArchive reads what was dropped, without the store that it would go to. */
async function readDropped(input: Uint8Array): Promise<unknown> {
  const files = unzipChecked(input, 'dropped.zip');
  if (files.has(MANIFEST)) return unpackExperiment(readArchive(files, 'dropped.zip').files, 'dropped.zip', TARGET);
  if (isProbe(files)) return readProbe(files, 'dropped.zip');
  return readPoolFiles([...files].map(([name, bytes]) => ({ name, file: new Blob([bytes]) })));
}

const STUDY = packRuns([{ key: 'k', record: { ...runMade({}), rows: [ROW] }, rerouted: [] }]);
const INDEX = JSON.stringify({
  schema: 1,
  runs: 1,
  bytes: 9,
  files: [{ name: 'q1.json.gz', question: 'Q1', runs: 1, bytes: 9, sha256: SHA }],
});
const about = { command: 'c', app: '1', device: 'CPU', modelSha256: SHA };
const SERIES = JSON.stringify(seriesOf(about, [[41, REPORT]]));
const COLUMN_WORDS = [
  '__proto__.polluted',
  'constructor.prototype.polluted',
  'student.hack',
  'a.b.c.d.e.f.g.h.i',
  '.',
  'a..b',
];

export const ARCHIVE_READERS: readonly Reader[] = [
  {
    name: 'archive',
    what: 'an exported run',
    good: parts.run.then(rewritten),
    async make(random) {
      const whole = await rewritten(changedFiles(await parts.run, random));
      return random.oneIn(5) ? mutateBytes(whole, random) : whole;
    },
    read: readDropped,
  },
  {
    name: 'zip',
    what: 'any zip that is dropped',
    good: parts.run.then(rewritten),
    async make(random) {
      if (random.oneIn(50)) return lying(zipSync({ 'experiment.json': bomb(random) }), random);
      const whole = zipped(changedFiles(random.oneIn(2) ? await parts.run : await parts.probe, random));
      return random.oneIn(3) ? whole : mutateBytes(whole, random);
    },
    read: readDropped,
  },
  {
    name: 'probe',
    what: 'a probe’s zip',
    good: parts.probe.then(zipped),
    make: async (random) => zipped(changedFiles(await parts.probe, random)),
    read: readDropped,
  },
  {
    name: 'log',
    what: 'a log of Inspect, as a zip or a text',
    good: bytesOf(LOG),
    make(random) {
      const text = bytesOf(mutateJson(LOG, random));
      if (random.oneIn(3)) return text;
      const { samples, ...header } = JSON.parse(LOG);
      const files = { 'header.json': header, 'samples/a_epoch_1.json': samples[0] };
      const packed = zipSync(
        Object.fromEntries(
          Object.entries(files).map(([name, value]) => [name, bytesOf(mutateJson(JSON.stringify(value), random))]),
        ),
      );
      return random.oneIn(3) ? packed : mutateBytes(packed, random);
    },
    read: async (input) => void (await openLog(new Blob([input as BlobPart]), 'x')),
  },
  {
    name: 'zstandard',
    what: 'what a log or a Parquet file is packed with',
    good: SMALL,
    make: (random) => mutateBytes(SMALL, random),
    read(input) {
      try {
        unzstd(input, 2 ** 20);
      } catch (cause) {
        // Whoever unpacks names the file; an error of the engine's own is a fault.
        if (cause instanceof TypeError) throw cause;
        throw new FormatError((cause as Error).message, 'Use another file.', { cause });
      }
    },
  },
  {
    name: 'results',
    what: 'published or own study results',
    good: STUDY,
    make(random) {
      if (random.oneIn(50)) return gzipSync(bomb(random));
      if (random.oneIn(4)) return mutateBytes(STUDY, random);
      const text = bytesOf(mutateJson(textOf(gunzipSync(STUDY)), random, COLUMN_WORDS));
      return random.oneIn(3) ? gzipSync(text) : text;
    },
    read: (input) => unpackRuns(input, 'q1.json.gz'),
  },
  {
    name: 'results-index',
    what: 'the index of published results',
    good: bytesOf(INDEX),
    make: (random) => bytesOf(mutateJson(INDEX, random)),
    read: (input) => readIndex(textOf(input)),
  },
  {
    name: 'series',
    what: 'published probes',
    good: bytesOf(SERIES),
    make: (random) => bytesOf(mutateJson(random.oneIn(5) ? '{"schema":1,"files":["a.json"]}' : SERIES, random)),
    read(input) {
      const text = textOf(input);
      if (text.includes('"files"')) readProbeIndex(text, 'index.json');
      else readSeries(text, 'series.json');
    },
  },
];

export { REPORT, ROWS };
