// An experiment in the address: `#V.<base64url of deflate-raw of JSON>`. Version 1 carries only a spec, as its difference from its preset;
// version 2 always has its seeds, the lab and model that made it, and results as far as they fit. All input is checked by the one schema
// (parseExperimentSpec). Nothing after # is ever sent to a server.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { environmentOf } from '../experiments/config/preset-in.ts';
import { type ExperimentSpec, parseExperimentSpec, resolveRuns } from '../experiments/config/spec.ts';
import type { RunRecord } from '../experiments/records/events.ts';
import { packJson, unpackJson } from './pack.ts';
import { linkLayout, packedRunSchema, packRun, type SharedRun, sharedRunOf, unpackRun } from './shared-run.ts';
import { differenceOf } from './spec-link.ts';

/** Most characters of a link, since chat and mail programs cut longer ones. */
export const MAX_LINK = 8192;
/** Most characters that are read. */
const MAX_ENCODED = 16_384;
const REMEDY = 'Ask for the link again, or choose the experiment in the form.';
/** Numbers of steps per run, tried in order until the link is short enough; null leaves out the trajectories. */
const POINTS: readonly (number | null)[] = [200, 120, 80, 60, 40, 30, 20, 10, null];

/** Lab, model and grader that made the results; null if the link does not name them. */
interface Provenance {
  appVersion: string | null;
  modelSha256: string | null;
  graderVersion: string | null;
  /** Device as in RunRecord: 'CPU (WASM SIMD)', or an adapter's name. */
  device: string | null;
}

export interface Share extends Provenance {
  spec: ExperimentSpec;
  /** Empty if the link carries only a spec. */
  runs: SharedRun[];
}

/** A spec that is to be run elsewhere, with the lab and model for which it was written. */
export function encodePlan(spec: ExperimentSpec, made: Omit<Provenance, 'device'>): Promise<string> {
  return pack({ spec, ...made, device: null, runs: [] });
}

/**
 * A finished experiment: its spec, its provenance, a digest of each run, and the trajectories, thinned until the link has at most
 * MAX_LINK characters. `points` is the number of steps in a run; null if there was no room.
 *
 * @param choice numbers of steps to try, in descending order
 */
export async function encodeRuns(
  spec: ExperimentSpec,
  runs: readonly RunRecord[],
  choice = POINTS,
): Promise<{ hash: string; points: number | null }> {
  const [first] = runs;
  const made: Provenance = {
    appVersion: first.appVersion,
    modelSha256: first.modelSha256,
    graderVersion: first.graderVersion,
    device: first.device,
  };
  const planned = resolveRuns(spec);
  const controlsOf = ({ spec: { arm, seed } }: RunRecord) =>
    planned.find((run) => run.arm === arm && run.seed === seed)?.shadows.map(({ id }) => id) ?? [];
  const longest = Math.max(...runs.map((run) => run.rows.length));
  const digests = new Map<RunRecord, Promise<string>>();
  for (const limit of choice) {
    const shared = await Promise.all(runs.map((run) => sharedRunOf(run, limit, controlsOf(run), digests)));
    const hash = await pack({ spec, ...made, runs: shared });
    if (hash.length <= MAX_LINK) return { hash, points: limit === null ? null : Math.min(limit, longest) };
  }
  return { hash: await pack({ spec, ...made, runs: [] }), points: null };
}

/** Encodes a decoded link again, to pass it on. */
export async function encodeShare(share: Share): Promise<{ hash: string; points: number | null }> {
  const longest = Math.max(0, ...share.runs.map(({ steps }) => steps.length));
  return { hash: await pack(share), points: longest || null };
}

async function pack({ spec, appVersion, modelSha256, graderVersion, device, runs }: Share): Promise<string> {
  const layout = layoutOf(spec);
  const known = Object.entries({ v: appVersion, m: modelSha256, g: graderVersion, n: device });
  const json = {
    ...differenceOf(spec),
    s: spec.seeds,
    ...Object.fromEntries(known.filter(([, value]) => value !== null)),
    ...(runs.length > 0 ? { r: runs.map((run) => packRun(run, layout)) } : {}),
  };
  return `2.${await packJson(json)}`;
}

const shortText = (length: number) =>
  z.optional(z.string().check(z.regex(new RegExp(`^[^\\p{Cc}]{1,${length}}$`, 'u'))));
const madeBySchema = shortText(40);
const provenanceSchema = z.strictObject({
  v: madeBySchema,
  m: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
  g: shortText(80),
  n: shortText(200),
  r: z.optional(z.array(packedRunSchema).check(z.maxLength(500))),
});

/** The `#` is optional. Throws SpecError for anything but a complete link of a known version. */
export async function decodeShare(fragment: string): Promise<Share> {
  const text = fragment.replace(/^#/, '');
  const dot = text.indexOf('.');
  const version = dot < 0 ? '' : text.slice(0, dot);
  if (version !== '1' && version !== '2') {
    const what = /^\d{1,9}$/.test(version)
      ? `is of version ${version}, this lab reads versions 1 and 2`
      : 'is not a link of this lab';
    throw new SpecError(`The address's part after # ${what}.`, REMEDY);
  }
  if (text.length > MAX_ENCODED)
    throw new SpecError(`The link has ${text.length} characters, ${MAX_ENCODED} are allowed.`, REMEDY);
  let content: unknown;
  try {
    content = await unpackJson(text.slice(dot + 1));
  } catch (error) {
    throw new SpecError('The link is damaged or was cut off.', REMEDY, { cause: error });
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new SpecError('The link holds no experiment.', REMEDY);
  }
  try {
    return shareOf(version, content as Record<string, unknown>);
  } catch (error) {
    const made = madeBySchema.safeParse((content as Record<string, unknown>).v);
    if (!(error instanceof SpecError) || !made.success || made.data === undefined) throw error;
    // A newer lab may have written fields that this one does not know.
    throw new SpecError(`${error.message} The link was made by version ${made.data} of the lab.`, error.remedy, {
      cause: error,
    });
  }
}

function shareOf(version: string, { p, a, s, o, d, f, ...rest }: Record<string, unknown>): Share {
  const known = version === '1' ? [] : Object.keys(provenanceSchema.shape);
  const unknown = Object.keys(rest).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new SpecError(`The link holds the unknown field ${JSON.stringify(unknown.slice(0, 40))}.`, REMEDY);
  const spec = parseExperimentSpec({
    schema: 1,
    preset: p,
    arms: a,
    seeds: s,
    overrides: o,
    device: d,
    fork: forkIn(f),
  });
  const parsed = provenanceSchema.safeParse(rest);
  if (!parsed.success) {
    const path = parsed.error.issues[0].path.map(String).join('.');
    throw new SpecError(`The link's results are damaged (at ${path.slice(0, 60)}).`, REMEDY);
  }
  const { v, m, g, n, r = [] } = parsed.data;
  const layout = layoutOf(spec);
  return {
    spec,
    appVersion: v ?? null,
    modelSha256: m ?? null,
    graderVersion: g ?? null,
    device: n ?? null,
    runs: checkedRuns(
      spec,
      r.map((run) => unpackRun(run, layout)),
    ),
  };
}

/** Expands the short keys of a fork; parseExperimentSpec checks it. */
function forkIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { r, n, p, a, s, o, f, ...rest } = value as Record<string, unknown>;
  return { ...rest, run: r, step: n, preset: p, arm: a, seed: s, overrides: o, fork: forkIn(f) };
}

const layoutOf = (spec: ExperimentSpec) => linkLayout(environmentOf(spec));

/** Results must belong to the link's spec: a link cannot show one experiment and run another. */
function checkedRuns(spec: ExperimentSpec, runs: readonly (SharedRun | null)[]): SharedRun[] {
  const seen = new Set<string>();
  return runs.map((run) => {
    if (!run) throw new SpecError('The link’s trajectories are damaged.', REMEDY);
    const name = `${run.arm}, seed ${run.seed}`;
    if (!spec.arms.includes(run.arm) || !spec.seeds.includes(run.seed) || seen.has(name))
      throw new SpecError(`The link holds a run that is not one of its experiment's (${name}).`, REMEDY);
    seen.add(name);
    return run;
  });
}

/** Only the spec of a link. */
export async function decodeSpec(fragment: string): Promise<ExperimentSpec> {
  return (await decodeShare(fragment)).spec;
}
