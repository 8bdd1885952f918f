// A run as a link: its scenario (a generated one as three numbers; one from a file as the file itself, if it is small), who played it, and
// the edits. The link contains no events, because opening it plays the run again with identical bytes. Everything that is read passes the
// schema first and then the checks of a file.

import { NOISE_LEVELS, type NoiseLevel } from '@projected-grpo-lab/are/augment/levels.ts';
import { SPLITS } from '@projected-grpo-lab/are/generate/template.ts';
import { checkedTrace, type Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import type { AgentsWorker } from '../../lab/agents/client.ts';
import { actionOf } from '../../lab/agents/edits.ts';
import {
  type CallEdit,
  type CallText,
  type Generated,
  hasModel,
  PAGE_PARTS,
  PLAYERS,
  type PlayedRun,
  type PlayerName,
  type Recipe,
  type ScenarioView,
  type WindowName,
} from '../../lab/protocol/agents.ts';
import { MAX_JSON, packJson, unpackJson } from '../../share/pack.ts';
import { ARE_MARK, isAreHash } from '../../share/view-hash.ts';

/** Maximum length, in characters, of links that are made and of links that are read. */
const MAX_HASH = 8192;
const MAX_ENCODED = 16_384;
const REMEDY = 'Ask for the link again, or for the trace as a file.';

export interface AreLink {
  readonly scenario: { readonly generated: Generated } | { readonly trace: Trace; readonly name: string };
  readonly agent: PlayerName;
  readonly seed: number;
  readonly window: WindowName;
  readonly maxSteps: number;
  readonly noise: NoiseLevel;
  readonly edits: readonly CallEdit[];
  /** All acts of an agent with a model (null: an idle act), so that the run can be played without the model. Null for other agents. */
  readonly acts: readonly (CallText | null)[] | null;
}

const count = z.int().check(z.gte(0), z.lte(1_000_000));
const name = z.string().check(z.maxLength(200));
const long = z.string().check(z.maxLength(100_000));
const schema = z.strictObject({
  s: z.union([
    z.tuple([z.enum(SPLITS), count, count]),
    z.tuple([z.enum(SPLITS), count, count, z.literal(1)]),
    z.tuple([z.enum(SPLITS), count, count, z.union([z.literal(0), z.literal(1)]), z.enum(PAGE_PARTS)]),
    z.strictObject({ n: name, t: z.unknown() }),
  ]),
  a: z.enum(PLAYERS),
  r: count,
  w: z.enum(['usual', 'paper']),
  m: z.int().check(z.gte(1), z.lte(10_000)),
  /** Absent if there is no noise. */
  n: z.optional(z.enum(NOISE_LEVELS)),
  e: z.array(z.tuple([count, name, name, long, long])).check(z.maxLength(1000)),
  /** Acts of an agent with a model; null is an idle act. */
  k: z.optional(z.array(z.nullable(z.tuple([name, name, long, long]))).check(z.maxLength(1000))),
});

/** Null if the scenario or the edits are too long for a link. */
export async function areHash({
  scenario,
  agent,
  seed,
  window,
  maxSteps,
  noise,
  edits,
  acts,
}: AreLink): Promise<string | null> {
  const packed = await packJson({
    s:
      'generated' in scenario
        ? packedScenario(scenario.generated)
        : { n: scenario.name, t: { ...scenario.trace, completed_events: [], world_logs: [] } },
    a: agent,
    r: seed,
    w: window,
    m: maxSteps,
    ...(noise !== 'none' && { n: noise }),
    e: edits.map(({ at, app, tool, args, thought }) => [at, app, tool, args, thought]),
    ...(acts && { k: acts.map(packedAct) }),
  });
  const hash = ARE_MARK + packed;
  return hash.length <= MAX_HASH ? hash : null;
}

/** Null if the address belongs to another view. Throws FormatError, or ScenarioError if its scenario is invalid. */
export async function readAreHash(address: string): Promise<AreLink | null> {
  if (!isAreHash(address)) return null;
  const text = address.replace(/^#/, '').slice(ARE_MARK.length);
  if (text.length > MAX_ENCODED)
    throw new FormatError(`The link has ${text.length} characters, ${MAX_ENCODED} are allowed.`, REMEDY);
  let value: unknown;
  try {
    value = await unpackJson(text);
  } catch (error) {
    throw new FormatError('The link is damaged or was cut off.', REMEDY, { cause: error });
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new FormatError('The link holds no agent’s run.', REMEDY);
  const { s, a, r, w, m, n = 'none', e, k } = parsed.data;
  return {
    scenario: Array.isArray(s)
      ? { generated: { split: s[0], seed: s[1], index: s[2], isSmall: s[3] === 1, part: s[4] ?? 'training' } }
      : { trace: checkedTrace(s.t), name: s.n },
    agent: a,
    seed: r,
    window: w,
    maxSteps: m,
    noise: n,
    edits: e.map(([at, app, tool, args, thought]) => ({ at, app, tool, args, thought })),
    acts: k?.map(readAct) ?? null,
  };
}

const packedScenario = ({ split, seed, index, isSmall, part }: Generated) => [
  ...[split, seed, index],
  ...(part === 'training' ? (isSmall ? [1] : []) : [isSmall ? 1 : 0, part]),
];

const packedAct = (act: CallText | null) => act && [act.app, act.tool, act.args, act.thought];

/** Throws SpecError if the arguments are not JSON. */
function readAct(act: [string, string, string, string] | null): CallText | null {
  if (act === null) return null;
  const [app, tool, args, thought] = act;
  const call = { app, tool, args, thought };
  actionOf(call);
  return call;
}

/** Whether neither experts nor tools of a user's own server took part. A link does not contain their acts. */
export const isAlone = ({ a2a, mcp }: Pick<Recipe, 'a2a' | 'mcp'>): boolean => a2a === 0 && mcp === null;

/**
 * The part of an address after # that plays this run again. Null without a run, if it is too long, or if experts or a user's server took
 * part.
 */
export async function linkOf(
  { played, scenario }: { readonly played: PlayedRun | null; readonly scenario: ScenarioView | null },
  worker: Pick<AgentsWorker, 'trace'> | null,
): Promise<string | null> {
  if (!played || !scenario || !worker || !isAlone(played.recipe)) return null;
  const { agent, seed, noise, window, maxSteps, edits } = played.recipe;
  const { generated, source: name } = scenario;
  // A longer trace could not be read back from a link.
  const trace = generated ? null : await worker.trace({ most: MAX_JSON });
  if (!generated && !trace) return null;
  return areHash({
    scenario: generated ? { generated } : { trace: trace as NonNullable<typeof trace>, name },
    agent,
    seed,
    window,
    maxSteps,
    noise,
    edits,
    acts: hasModel(agent) ? played.acts : null,
  });
}
